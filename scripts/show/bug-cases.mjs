import { bugReports } from "../../test/conformance/bug-reports.ts";
import { lastResults, runTests } from "../report/results.mjs";
import { testsById } from "../report/rows.mjs";

export const about = "recorded bugs of other agents, and the passing tests that show that they are not ours";

const AREAS = [
  "history-validity",
  "streaming",
  "tool-calls",
  "unicode-binary",
  "interrupt-steer",
  "crash-persistence",
  "loop-guards",
  "parallel-files",
  "prompt-cache",
  "context-compression",
  "cost-accounting",
  "error-classification",
  "fallback-credentials",
];

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const reports = bugReports().filter(({ area }) => AREAS.includes(area));
  const files = [...new Set(reports.flatMap((report) => report.files))];
  const tests = lastResults(root) ?? (await runTests(root, files)).tests;
  const byId = testsById(tests);
  return AREAS.map((area) => {
    const own = reports.filter((report) => report.area === area);
    let shown = 0;
    let later = 0;
    for (const { id, titles, theme } of own) {
      const passing = byId.get(id) ?? [];
      if (titles.length === 0) {
        later += 1;
        console.log(`later  ${id}: ${theme}`);
      } else if (passing.length > 0) {
        shown += 1;
        console.log(
          `shown  ${id}\n         ${passing.map(({ file, title }) => `${file}: ${title}`).join("\n         ")}`,
        );
      } else console.log(`FAIL   ${id}: no test that carries its id passes`);
    }
    return {
      figure: area,
      value: `${shown} of ${own.length} shown, ${later} wait for a part that is named`,
      goal: "each shown or waiting",
      pass: own.length > 0 && shown + later === own.length,
    };
  });
}
