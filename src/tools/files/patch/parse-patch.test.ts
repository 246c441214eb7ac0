import fc from "fast-check";
import { expect, test } from "vitest";
import { edited } from "../text/lines.ts";
import { applyHunks } from "./apply-hunks.ts";
import { pathsIn } from "./headers.ts";
import { type Hunk, parsePatch, PatchError, type Section } from "./parse-patch.ts";

const line = fc.constantFrom(
  "*** Begin Patch",
  "*** End Patch",
  "*** Update File: a.ts",
  "***Add File: b.ts",
  "*** Delete File: c.ts",
  "*** Move File: d.ts -> e.ts",
  "*** Move to: f.ts",
  "*** End of File",
  "@@",
  "@@ class A @@",
  "@@ -3,2 +3,4 @@ f()",
  " same",
  "-gone",
  "+new",
  "",
  "bare",
  "\\ No newline at end of file",
);

test("[E9] whatever a model writes as a patch is read, or refused in one sentence", () => {
  const patches = fc.oneof(
    fc.array(line, { maxLength: 25 }).map((lines) => lines.join("\n")),
    fc.string({ unit: "binary", maxLength: 300 }),
  );
  fc.assert(
    fc.property(patches, (patch) => {
      // What it may touch was known before it was read.
      expect(pathsIn(patch)).toEqual(expect.arrayContaining(read(patch).flatMap(pathsOf)));
    }),
    { numRuns: 3_000 },
  );
});

/** Nothing of a patch that was refused. */
function read(patch: string): readonly Section[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    if (error instanceof PatchError) return [];
    throw error;
  }
}

const pathsOf = (section: Section): string[] =>
  "to" in section && section.to !== undefined ? [section.path, section.to] : [section.path];

/** A text with changes in it, as a patch writes them. */
const changed = fc.record({
  lines: fc.array(
    fc.record({ type: fc.constantFrom("keep", "remove", "add"), text: fc.constantFrom("a", "b", " c", "") }),
    { minLength: 1, maxLength: 30 },
  ),
  end: fc.constantFrom("\n", "\r\n"),
  closed: fc.boolean(),
});

test("[E9] a patch with all of a file gives the new one, and turned round the old one again", () => {
  fc.assert(
    fc.property(changed, ({ lines, end, closed }) => {
      const hunk = { anchors: [], lines, atEnd: false, at: 1 } as const;
      const [before, after] = [side(lines, "remove", end), side(lines, "add", end)].map((text) =>
        closed || text === "" ? text : text.slice(0, -end.length),
      );
      // An empty last line without a break is no line, and a text without any says nothing of its breaks.
      const isTold = (text = ""): boolean => text !== "" && (closed || (!text.endsWith("\n") && text.includes(end)));
      fc.pre(isTold(before) && isTold(after));
      expect(applied(before ?? "", hunk)).toBe(after);
      const turned = { remove: "add", add: "remove", keep: "keep" } as const;
      const back = { ...hunk, lines: lines.map(({ type, text }) => ({ type: turned[type], text })) };
      expect(applied(after ?? "", back)).toBe(before);
    }),
    { numRuns: 2_000 },
  );
});

function side(lines: Hunk["lines"], type: "remove" | "add", end: string): string {
  return lines
    .filter((each) => each.type === "keep" || each.type === type)
    .map(({ text }) => text + end)
    .join("");
}

function applied(text: string, hunk: Hunk): string {
  const found = applyHunks(text, [hunk]);
  return found.type === "found" ? edited(text, found.edits) : found.type;
}

test("[E9] hunks may stand in another order than their places, and lines that only come are put where they belong", () => {
  const [section] = parsePatch("*** Update File: a\n@@\n-d\n+D\n@@\n-a\n+A\n@@ b\n+b2\n@@\n+end\n");
  const hunks = section?.type === "update" ? section.hunks : [];
  const found = applyHunks("a\nb\nc\nd\n", hunks);
  expect(found.type === "found" && edited("a\nb\nc\nd\n", found.edits)).toBe("A\nb\nb2\nc\nD\nend\n");
});
