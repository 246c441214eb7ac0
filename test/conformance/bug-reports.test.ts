import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bugReports, TABLE } from "./bug-reports.ts";

const reports = bugReports();
const rows = [...readFileSync(TABLE, "utf8").matchAll(/^\| ([A-Z]+-\d+) \| ([a-z-]+) \| (.+) \|$/gmu)].map((match) => ({
  id: match[1],
  area: match[2],
  shown: match[3] ?? "",
}));

test("each reported bug has exactly one row", () => {
  expect(rows.map(({ id, area }) => ({ id, area }))).toEqual(reports.map(({ id, area }) => ({ id, area })));
});

test("a row names all its tests, or what has to exist first (when it does not: node test/conformance/bug-reports.ts)", () => {
  const untrue = rows.filter(({ shown }, at) => {
    const { titles = [], theme = "" } = reports[at] ?? {};
    if (shown.startsWith("later: ")) return titles.length > 0 || shown !== `later: ${theme}` || theme === "";
    return shown !== titles.map((title) => `\`${title}\``).join("<br>");
  });
  expect(untrue).toEqual([]);
});

test("what this part is about is shown, not promised", () => {
  const areas = ["history-validity", "interrupt-steer", "crash-persistence", "unicode-binary", "tool-execution"];
  const promised = reports.filter(({ area, titles }) => areas.includes(area) && titles.length === 0);
  expect(promised).toEqual([]);
});
