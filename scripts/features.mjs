// Prints each row of docs/features.md, and each recorded bug report, with the passing tests that show it. Arguments name the ids to keep to.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lastResults, runTests } from "./report/results.mjs";
import { describeRow, rowsOf, surfaceOf, testsById } from "./report/rows.mjs";
import { runMain } from "./setup/trouble.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * @param {string[]} wanted
 * @returns {Promise<number>}
 */
async function printFeatures(wanted) {
  const tests = lastResults(root) ?? (await runTests(root, [])).tests;
  const byId = testsById(tests);
  const rows = rowsOf(readFileSync(join(root, "docs", "features.md"), "utf8"));
  const known = new Set(rows.map((row) => row.id));
  const others = [...byId.keys()].filter((id) => !known.has(id)).sort();
  const all = [...rows, ...others.map((id) => ({ id, what: "" }))];
  const shown = all.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  for (const { id, what } of shown) console.log(describeRow(id, what, byId.get(id) ?? []));
  const unknown = wanted.filter((id) => !shown.some((row) => row.id === id));
  if (unknown.length > 0) {
    console.error(`No row and no passing test is called ${unknown.join(", ")}; \`npm run features\` lists them all.`);
    return 2;
  }
  const tested = rows.filter(({ id }) => byId.has(id));
  const shownInPublic = tested.filter(({ id }) => byId.get(id)?.some((test) => surfaceOf(test.file) !== "unit"));
  if (wanted.length === 0) {
    console.log(
      `\n${rows.length} rows: ${tested.length} with passing tests, ${shownInPublic.length} of them through library, CLI or HTTP.`,
    );
  }
  return 0;
}

await runMain(() => printFeatures(process.argv.slice(2)));
