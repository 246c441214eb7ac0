import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const about = "commands that hang, ignore a stop, print 1 GB, fork 100 children or die (about a minute)";

const FILES = ["test/library/hostile-commands.test.ts", "src/tools/terminal/run-anywhere.test.ts"];

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const folder = mkdtempSync(join(tmpdir(), "evander-hostile-tools-"));
  const report = join(folder, "report.json");
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", "--reporter=json", `--outputFile=${report}`, ...FILES],
    { cwd: root, stdio: "ignore" },
  );
  /** @type {{ numTotalTests: number; numPassedTests: number }} */
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8"));
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      figure: "hostile commands that end, leave nothing, and never take a turn with them",
      value: `${numPassedTests} of ${numTotalTests}`,
      goal: "all",
      pass: status === 0 && numPassedTests === numTotalTests,
    },
  ];
}
