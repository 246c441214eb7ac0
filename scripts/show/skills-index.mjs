import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skillParts } from "../../src/context/skills/prompt-parts.ts";
import { openShelf } from "../../src/context/skills/shelf.ts";
import { setUp } from "../setup/set-up.mjs";

export const about = "what a prompt says of skills, with few, many and far too many of them";

const ROUNDS = 9;

/** @type {readonly { name: string, count: number, header: (at: number) => string, limitMs: number }[]} */
const SHELVES = [
  { name: "10 skills", count: 10, header: plain, limitMs: 5 },
  { name: "100 skills whose headers need YAML", count: 100, header: folded, limitMs: 100 },
  { name: "10,000 skills", count: 10_000, header: plain, limitMs: 100 },
];

/** @param {number} at */
function plain(at) {
  return `name: s${at}\ndescription: Does the work of number ${at}, and what belongs to it.`;
}

/** @param {number} at */
function folded(at) {
  return `name: s${at}\ndescription: >\n  Does the work of number ${at},\n  and what belongs to it.\nmetadata: { some-agent: { requires: { bins: [git] } } }`;
}

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: false });
  const folder = mkdtempSync(join(tmpdir(), "evander-skills-"));
  try {
    const figures = [];
    for (const { name, count, header, limitMs } of SHELVES) {
      const skills = join(folder, name);
      for (let at = 0; at < count; at += 1) {
        mkdirSync(join(skills, `s${at}`), { recursive: true });
        writeFileSync(join(skills, `s${at}`, "SKILL.md"), `---\n${header(at)}\n---\n\n# Steps\n\nDo it.\n`);
      }
      const took = await fastest(skills);
      figures.push({
        figure: name,
        value: `${took.toFixed(1)} ms of the processor (the fastest of ${ROUNDS})`,
        goal: `<= ${limitMs} ms`,
        pass: took <= limitMs,
      });
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Of the processor, whoever else uses the machine.
 * @param {string} folder
 * @returns {Promise<number>} ms
 */
async function fastest(folder) {
  const shelf = openShelf({
    roots: [{ root: "user", folder }],
    platform: process.platform,
    env: process.env,
    off: [],
    alone: (work) => work(),
    now: Date.now,
  });
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await skillParts(shelf, { tools: ["skill_view", "skills_list"], contextWindow: undefined });
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
