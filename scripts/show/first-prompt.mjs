import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setUp } from "../setup/set-up.mjs";
import { SetupTrouble } from "../setup/trouble.mjs";

export const about = "from the start of the program to its first prompt, at a terminal";

const ROUNDS = 11;
const LIMIT_MS = 200;
const PROMPT = "\u203A ";
const CTRL_D = "\u0004";

/**
 * An empty Node program takes turns with it, so that a busy machine can be told from a slow program.
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const home = mkdtempSync(join(tmpdir(), "evander-prompt-"));
  const program = `${node} ${join(root, "bin", "evander.cjs")}`;
  /** @type {{ prompt: number[], empty: number[] }} */
  const times = { prompt: [], empty: [] };
  try {
    await promptTime(program, home);
    for (let round = 0; round < ROUNDS; round += 1) {
      times.prompt.push(await promptTime(program, home));
      times.empty.push(await promptTime(`${node} -e 'process.stderr.write("${PROMPT}")'`, home));
    }
  } finally {
    rmSync(home, { recursive: true });
  }
  const prompt = median(times.prompt);
  return [
    {
      figure: "first prompt",
      value: `${prompt.toFixed(0)} ms (median of ${ROUNDS}; an empty Node program that writes one: ${median(times.empty).toFixed(0)} ms)`,
      goal: `<= ${LIMIT_MS} ms`,
      pass: prompt <= LIMIT_MS,
    },
  ];
}

/**
 * @param {string} command
 * @param {string} home
 * @returns {Promise<number>} ms
 */
async function promptTime(command, home) {
  const startedAt = performance.now();
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    env: { PATH: process.env["PATH"], EVANDER_HOME: home, HOME: home, TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdio: "pipe",
  });
  const ended = new Promise((resolve, reject) => {
    child.once("error", () =>
      reject(new SetupTrouble("`script` of util-linux is needed for a terminal; install util-linux", 1)),
    );
    child.once("close", resolve);
  });
  /** @type {Promise<number>} */
  const shown = new Promise((resolve) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (text.includes(PROMPT)) resolve(performance.now() - startedAt);
    });
  });
  const never = ended.then(() => {
    throw new SetupTrouble("the program ended without a prompt", 1);
  });
  never.catch(() => {});
  const took = await Promise.race([shown, never]);
  child.stdin.on("error", () => {});
  child.stdin.write(CTRL_D);
  await ended;
  return took;
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
