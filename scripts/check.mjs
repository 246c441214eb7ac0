// The whole check: static checks side by side, then every test. With arguments: only the tests they name.
// With --quick: the tests of the built program and the matrix of faults are left out.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { count, countsLine, runTests } from "./report/results.mjs";
import { changedFiles } from "./report/tree.mjs";
import { runStep } from "./setup/child.mjs";
import { runMain, SetupTrouble } from "./setup/trouble.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @typedef {{ name: string, run: () => Promise<string | undefined> }} Check resolves with the findings, if any */

/**
 * @param {string} name
 * @param {string} program path below node_modules
 * @param {string[]} args
 * @returns {Check}
 */
function tool(name, program, ...args) {
  return {
    name,
    run: async () => {
      const command = [join(root, "node_modules", program), ...args];
      const { exitCode, output } = await runStep(process.execPath, command, { cwd: root });
      return exitCode === 0 ? undefined : output.trim();
    },
  };
}

/** @type {Check[]} */
const CHECKS = [
  { name: "package (build, publint)", run: () => build(root).then(() => undefined, findingsOf) },
  tool("types (tsc)", "typescript/bin/tsc", "-p", "."),
  tool("types of scripts (tsc)", "typescript/bin/tsc", "-p", "scripts"),
  tool("lint (oxlint)", "oxlint/bin/oxlint", "--type-aware"),
  tool("format (oxfmt)", "oxfmt/bin/oxfmt", "--check"),
  tool("unused code (knip)", "knip/bin/knip.js", "--no-progress"),
];

/** @param {unknown} error */
function findingsOf(error) {
  if (error instanceof SetupTrouble) return error.message;
  throw error;
}

/**
 * @param {Check} check
 * @returns {Promise<boolean>} true when there are no findings
 */
async function runCheck({ name, run }) {
  const startedAt = Date.now();
  const findings = await run();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${findings === undefined ? "ok  " : "FAIL"} ${name}  ${seconds} s${findings === undefined ? "" : `\n${findings}\n`}`,
  );
  return findings === undefined;
}

/**
 * @param {string[]} before
 * @returns {boolean}
 */
function isTreeClean(before) {
  const made = changedFiles(root).filter((line) => !before.includes(line));
  if (made.length === 0) return true;
  console.log(`FAIL clean tree: the run changed\n${made.join("\n")}\n`);
  return false;
}

const QUICK = "--quick";

/**
 * @param {string[]} given
 * @returns {Promise<number>}
 */
async function checkAll(given) {
  const named = given.filter((arg) => arg !== QUICK);
  const args = named.length === given.length ? named : ["--project", "unit", ...named];
  const startedAt = Date.now();
  const before = changedFiles(root);
  const checked = named.length === 0 ? await Promise.all(CHECKS.map(runCheck)) : [];
  const { exitCode, tests } = await runTests(root, args);
  const counts = count(tests);
  const failedChecks = [...checked, isTreeClean(before)].filter((ok) => !ok).length;
  const ok = exitCode === 0 && failedChecks === 0 && counts.failed === 0 && counts.passed > 0;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const told = failedChecks === 0 ? "" : ` (${failedChecks} of the other checks failed, see FAIL above)`;
  console.log(`${ok ? "All good" : "Not good"} after ${seconds} s${told}`);
  console.log(countsLine(counts));
  return ok ? 0 : exitCode > 128 ? exitCode : 1;
}

await runMain(() => checkAll(process.argv.slice(2)));
