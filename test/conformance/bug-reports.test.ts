import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bugReports, TABLE } from "./bug-reports.ts";
import { readCaseFile } from "./case-file.ts";

const ids = readCaseFile(join(import.meta.dirname, "cases", "bugs.json")).cases.map(({ id }) => id);
const table = readFileSync(TABLE, "utf8");

test("each reported bug has exactly one row", () => {
  const listed = [...table.matchAll(/^\| ([A-Z]+-\d+) \| [a-z-]+ \| .+ \|$/gmu)].map((match) => match[1]);
  expect(listed).toEqual(ids);
});

test("a bug is shown by tests that exist, or named with what it waits for", () => {
  const { text, homeless } = bugReports();
  expect(homeless).toEqual([]);
  expect(table, "docs/bug-reports.md is old: run node test/conformance/bug-reports.ts").toBe(text);
});

test("what this part is about is shown, not promised", () => {
  const later = [...table.matchAll(/^\| (\S+) \| .* \| later: /gmu)].map((match) => match[1]);
  const due = [
    "HIST-01",
    "HIST-05",
    "INT-01",
    "INT-02",
    "INT-03",
    "INT-06",
    "INT-07",
    "INT-08",
    "EXEC-01",
    "EXEC-03",
    "EXEC-08",
  ];
  expect(due.filter((id) => later.includes(id))).toEqual([]);
});
