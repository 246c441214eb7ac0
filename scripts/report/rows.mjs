/** @typedef {import("./results.mjs").TestResult} TestResult */

/**
 * Ids a test's title carries in brackets: rows ("[B8]"), recorded bug reports ("[HIST-01]"), or several ("[C12, C13]").
 * @param {string} title
 * @returns {string[]}
 */
export function idsIn(title) {
  return [...title.matchAll(/\[([^\]]+)\]/g)].flatMap(([, inside = ""]) => {
    const parts = inside.split(/[\s,]+/);
    return parts.every((part) => /^(?:[A-JX]\d{1,2}|[A-Z]+-\d+)$/.test(part)) ? parts : [];
  });
}

/**
 * The surface a test goes through, told by its folder.
 * @param {string} file
 * @returns {"CLI" | "library" | "HTTP" | "unit"}
 */
export function surfaceOf(file) {
  if (/^test\/(?:cli|durability|scenario)\//.test(file)) return "CLI";
  if (/^test\/(?:library|matrix)\//.test(file)) return "library";
  if (file.startsWith("test/wire/")) return "HTTP";
  return "unit";
}

/**
 * Rows of a Markdown table whose first cell is an id.
 * @param {string} markdown
 * @returns {{ id: string, what: string }[]}
 */
export function rowsOf(markdown) {
  return [...markdown.matchAll(/^\| ([A-JX]\d{1,2}) \| (.+?) \|/gm)].map(([, id = "", what = ""]) => ({ id, what }));
}

/**
 * Passing tests by the ids in their titles.
 * @param {TestResult[]} tests
 * @returns {Map<string, TestResult[]>}
 */
export function testsById(tests) {
  /** @type {Map<string, TestResult[]>} */
  const found = new Map();
  for (const test of tests) {
    if (test.status !== "passed") continue;
    for (const id of new Set(idsIn(test.title))) found.set(id, [...(found.get(id) ?? []), test]);
  }
  return found;
}

/**
 * One row of the report: the id, what it says, its surfaces and its tests.
 * @param {string} id
 * @param {string} what
 * @param {TestResult[]} tests
 * @returns {string}
 */
export function describeRow(id, what, tests) {
  const short = what.length > 90 ? `${what.slice(0, 89)}…` : what;
  const surfaces = [...new Set(tests.map((test) => surfaceOf(test.file)))].sort().join(", ");
  const lines = tests.map((test) => `      ${surfaceOf(test.file).padEnd(7)} ${test.file}: ${test.title}`);
  return [`${id.padEnd(8)} ${tests.length === 0 ? "-" : surfaces}  ${short}`, ...lines].join("\n");
}
