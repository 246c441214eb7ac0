import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { count, countsLine } from "../../scripts/report/results.mjs";
import { describeRow, idsIn, rowsOf, surfaceOf, testsById } from "../../scripts/report/rows.mjs";

test("ids are read from titles, and other brackets are not ids", () => {
  expect(idsIn("[B8] a steer waits")).toEqual(["B8"]);
  expect(idsIn("[C12, C13] [HIST-01] x")).toEqual(["C12", "C13", "HIST-01"]);
  expect(idsIn("an array [1] and [K9] and [A]")).toEqual([]);
});

test("a test's folder tells the surface it goes through", () => {
  expect(["test/cli/a.test.ts", "test/scenario/a.test.ts"].map(surfaceOf)).toEqual(["CLI", "CLI"]);
  expect(surfaceOf("test/library/a.test.ts")).toBe("library");
  expect(surfaceOf("test/wire/a.test.ts")).toBe("HTTP");
  expect(surfaceOf("src/turn/a.test.ts")).toBe("unit");
});

test("only passing tests speak for a row", () => {
  const byId = testsById([
    { file: "test/cli/a.test.ts", title: "[B8] once [B8] twice", status: "passed" },
    { file: "src/turn/a.test.ts", title: "[B8] fails", status: "failed" },
  ]);
  expect(byId.get("B8")?.length).toBe(1);
  expect(describeRow("B8", "steer", byId.get("B8") ?? [])).toMatch(/^B8 +CLI {2}steer\n +CLI +test\/cli/);
  expect(describeRow("B9", "left over", [])).toMatch(/^B9 +- {2}left over$/);
});

test("the feature table has every row, A1 to J7 and X1 to X13, once", () => {
  const last = { A: 17, B: 17, C: 19, D: 15, E: 13, F: 6, G: 5, H: 9, I: 6, J: 7, X: 13 };
  const expected = Object.entries(last).flatMap(([letter, n]) =>
    Array.from({ length: n }, (_, i) => `${letter}${i + 1}`),
  );
  expect(rowsOf(readFileSync("docs/features.md", "utf8")).map((row) => row.id)).toEqual(expected);
});

test("the closing line counts what passed, failed and was skipped", () => {
  const of = (status: string): { file: string; title: string; status: string } => ({ file: "a", title: "b", status });
  expect(countsLine(count([of("passed"), of("passed"), of("failed")]))).toBe("2 passed, 1 failed");
  expect(countsLine(count([of("passed"), of("pending")]))).toBe("1 passed, 0 failed, 1 skipped");
});
