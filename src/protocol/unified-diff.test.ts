import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedHunks } from "./unified-diff.ts";

test("[E12] a unified diff says lines, places and a missing end", () => {
  expect(unifiedHunks("", "")).toEqual([]);
  expect(unifiedHunks("a\n", "a\n")).toEqual([]);
  expect(unifiedHunks("", "a\nb\n")).toEqual(["@@ -0,0 +1,2 @@", "+a", "+b"]);
  expect(unifiedHunks("a\n", "a")).toEqual(["@@ -1 +1 @@", "-a", "+a\n\\ No newline at end of file"]);
  const lines = Array.from({ length: 30 }, (_, n) => `${n}\n`);
  const changed = lines.map((line, n) => (n === 4 || n === 25 ? "x\n" : line)).join("");
  expect(unifiedHunks(lines.join(""), changed).filter((line) => line.startsWith("@@"))).toEqual([
    "@@ -2,7 +2,7 @@",
    "@@ -23,7 +23,7 @@",
  ]);
});

test("[E12] another program makes the one text of the other with it, both ways", () => {
  const folder = mkdtempSync(join(tmpdir(), "evander-diff-"));
  const line = fc.constantFrom("a", "b", "c", "", "longer line", "-", "+", "@@");
  const text = fc.tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom("", "\n")).map(([all, end]) => {
    const joined = all.join("\n");
    return joined === "" ? "" : joined + end;
  });
  try {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== "" && after !== "");
        const patch = ["--- a/f", "+++ b/f", ...unifiedHunks(before, after), ""].join("\n");
        const file = join(folder, "f");
        const run = (...flags: readonly string[]): string => {
          execFileSync("git", ["apply", "--whitespace=nowarn", ...flags, "-"], {
            cwd: folder,
            input: patch,
            stdio: "pipe",
          });
          return readFileSync(file, "utf8");
        };
        writeFileSync(file, before);
        expect(run()).toBe(after);
        expect(run("-R")).toBe(before);
      }),
      { numRuns: 40 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
