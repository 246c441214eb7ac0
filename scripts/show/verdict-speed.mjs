import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everydayCommands } from "../../test/support/everyday-project.ts";
import { attacks, policyLab } from "../../test/support/policy-lab.ts";

export const about = "judging a command: the slowest of a hundred of one line, and one as long as may be";

const GOALS = { line: 1, long: 20 };
const ROUNDS = 30;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "evander-verdict-")));
  try {
    const lab = policyLab(base);
    const verdict = (/** @type {string} */ command) => lab.verdict(command);
    const everyday = timesOf(everydayCommands(), verdict);
    const hostile = timesOf(
      attacks().map(({ command }) => command),
      verdict,
    );
    const long = Math.max(...longCommands().map((command) => best(command, verdict)));
    return [
      figure(`${everyday.length} everyday commands, each at its best: p99`, at(everyday, 0.99), GOALS.line),
      figure(`${hostile.length} attacks, each at its best: p99`, at(hostile, 0.99), GOALS.line),
      figure("commands of 16 KB, of several kinds, the slowest", long, GOALS.long),
    ];
  } finally {
    rmSync(base, { recursive: true });
  }
}

/**
 * @param {readonly string[]} commands
 * @param {(command: string) => unknown} verdict
 * @returns {number[]}
 */
const timesOf = (commands, verdict) => commands.map((command) => best(command, verdict)).toSorted((a, b) => a - b);

/**
 * ms, the best of some, so that what else runs on the machine is not counted.
 * @param {string} command
 * @param {(command: string) => unknown} verdict
 * @returns {number}
 */
function best(command, verdict) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    verdict(command);
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

/** @returns {string[]} */
const longCommands = () => {
  const length = 16_000;
  const repeated = (/** @type {string} */ text) => text.repeat(Math.floor(length / text.length));
  return [
    `echo ${"a".repeat(length)}`,
    `echo ${repeated("a ")}`,
    `echo ${repeated("$X ")}`,
    `echo ${repeated("*.ts ")}`,
    `cat ${repeated("src/index.ts ")}`,
    `rm ${repeated("src/index.ts ")}`,
    `rm -rf ${repeated('"$X"* ')}`,
    `python3 -c '${repeated("import os; ")}'`,
    `bash <<'E'\n${repeated("ls\n")}E`,
    `awk '${repeated("NR==1;")}' data/log.txt`,
    `sed -n '${repeated("1p;")}' data/log.txt`,
    `echo ${repeated("{a,b}")}`,
    repeated("true && "),
    repeated("cd src && "),
  ];
};

/**
 * @param {readonly number[]} sorted
 * @param {number} share
 * @returns {number}
 */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/**
 * @param {string} name
 * @param {number} value
 * @param {number} goal
 * @returns {import("../show.mjs").Figure}
 */
const figure = (name, value, goal) => ({
  figure: name,
  value: `${value.toFixed(2)} ms`,
  goal: `<= ${goal} ms`,
  pass: value <= goal,
});
