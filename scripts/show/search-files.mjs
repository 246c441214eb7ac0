import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRipgrep } from "../../src/tools/files/ripgrep.ts";
import { searchFilesTool } from "../../src/tools/files/search-files.ts";

export const about = "search_files over 50,000 files beside ripgrep, or beside grep where there is none (about 40 s)";

const FILES = 50_000;
const ROUNDS = 5;

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** @param {string} cwd */
function fill(cwd) {
  const line = "export const value = compute(first, second) // nothing to see here\n";
  for (let at = 0; at < FILES; at += 1) {
    const folder = join(cwd, `d${Math.floor(at / 2_500)}`, `e${Math.floor(at / 100) % 25}`);
    if (at % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${at}.ts`), line.repeat(10 + (at % 40)) + (at % 500 === 0 ? "needle 42\n" : ""));
  }
}

/**
 * @param {() => unknown} work
 */
async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const base = mkdtempSync(join(tmpdir(), "evander-50000-"));
  try {
    const cwd = join(base, "ws");
    fill(cwd);
    const path = process.env["PATH"] ?? "";
    const ripgrep = findRipgrep(path, cwd);
    const signal = new AbortController().signal;
    const context = { callId: "c", sessionId: "s", history: [], signal, output: () => {} };
    /** @param {string} programs */
    const search = (programs) =>
      searchFilesTool({ cwd, home: base, guarded: [] }, { programs }).run(
        { mode: "content", pattern: "needle \\d+", limit: 1_000 },
        context,
      );
    const other = ripgrep ?? "grep";
    const options = ripgrep === undefined ? ["-rnE", "needle [0-9]+", "."] : ["-n", "needle [0-9]+", "."];
    const tool = [];
    const theirs = [];
    const alone = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      theirs.push(await timed(() => spawnSync(other, options, { cwd, stdio: "ignore" })));
      tool.push(await timed(() => search(path)));
      alone.push(await timed(() => search("")));
    }
    const [ours, own, reference] = [median(tool), median(alone), median(theirs)];
    const same = (await search(path)) === (await search(""));
    const limit = ripgrep === undefined ? 10 : 1.3;
    return [
      {
        figure: `search_files over ${FILES} files beside ${ripgrep === undefined ? "grep -r (no ripgrep here)" : "ripgrep"}: ${ours.toFixed(0)} ms, ${reference.toFixed(0)} ms`,
        value: `${(ours / reference).toFixed(2)}×`,
        goal: `≤ ${limit}×`,
        pass: ours <= reference * limit,
      },
      {
        figure: `the same without any other program: ${own.toFixed(0)} ms`,
        value: `${(own / reference).toFixed(2)}×`,
        goal: "≤ 30×",
        pass: own <= reference * 30,
      },
      { figure: "what is found is the same either way", value: String(same), goal: "true", pass: same },
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
