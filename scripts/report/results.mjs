import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { runInForeground } from "../setup/child.mjs";
import { fingerprintOf, listFiles } from "../setup/bundle.mjs";
import { SetupTrouble } from "../setup/trouble.mjs";

/**
 * @typedef {{ file: string, title: string, status: string }} TestResult
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/** What a test's outcome can depend on. */
const FOLDERS = ["src", "test", "bench", "scripts", "bin", "docs"];
const FILES = ["package.json", "package-lock.json", "vitest.config.ts", ".oxlintrc.json"];

/**
 * Runs the tests for people to watch and keeps the results for other commands.
 * @param {string} root
 * @param {string[]} args of vitest, e.g. a folder to keep to
 * @returns {Promise<{ exitCode: number, tests: TestResult[] }>}
 */
export async function runTests(root, args) {
  const file = resultsFile(root);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ testResults: [] }));
  const inputs = inputFingerprint(root);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const exitCode = await runInForeground(process.execPath, [vitest, "run", ...reporters, ...args], { cwd: root });
  const tests = readResults(root, file);
  // A run that was stopped has told nothing: it must not pass for one in which nothing passed.
  if (tests.length === 0) throw new SetupTrouble("No test was run to its end, so nothing is known.", exitCode || 1);
  writeFileSync(`${file}.inputs`, args.length === 0 ? inputs : "partial");
  return { exitCode, tests };
}

/**
 * The results of the last complete run, as long as nothing has changed since.
 * @param {string} root
 * @returns {TestResult[] | undefined}
 */
export function lastResults(root) {
  const file = resultsFile(root);
  try {
    return readFileSync(`${file}.inputs`, "utf8") === inputFingerprint(root) ? readResults(root, file) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {TestResult[]} tests
 * @returns {Counts}
 */
export function count(tests) {
  const passed = tests.filter((test) => test.status === "passed").length;
  const failed = tests.filter((test) => test.status === "failed").length;
  return { passed, failed, skipped: tests.length - passed - failed };
}

/**
 * The line that machines read.
 * @param {Counts} counts
 * @returns {string}
 */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {TestResult[]}
 */
function readResults(root, file) {
  /** @type {{ testResults: { name: string, status: string, assertionResults: { fullName: string, status: string }[] }[] }} */
  const report = JSON.parse(readFileSync(file, "utf8"));
  return report.testResults.flatMap((suite) => {
    const path = relative(root, suite.name).split(sep).join("/");
    // A file that could not even be loaded has no tests to count, and must not pass for that.
    if (suite.status === "failed" && suite.assertionResults.length === 0) {
      return [{ file: path, title: "the file itself", status: "failed" }];
    }
    return suite.assertionResults.map((test) => ({ file: path, title: test.fullName, status: test.status }));
  });
}

/** @param {string} root */
function inputFingerprint(root) {
  return fingerprintOf(root, [...FOLDERS.flatMap((folder) => listFiles(root, folder)), ...FILES]);
}

/** @param {string} root */
function resultsFile(root) {
  return join(root, "node_modules", ".evander", "tests.json");
}
