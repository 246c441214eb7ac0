import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_TITLE, readModelTitle, readTitle } from "./title.ts";

test.each([
  ["Fixing the build", "Fixing the build"],
  ['"Fixing the build"', "Fixing the build"],
  ["Title: Fixing the build.", "Fixing the build"],
  ["**Title:** “Fixing the build”\n\nThis says what it is about.", "Fixing the build"],
  ["Here is a title for it:\n\n# Fixing the build", "Fixing the build"],
  ["标题：《修复构建》。", "修复构建"],
  ["「Zug früh」", "Zug früh"],
  ["'tis the season", "'tis the season"],
  ["Why v1.2?", "Why v1.2?"],
  ["Fixing\u200B the \u001B[31mbuild", "Fixing the [31mbuild"],
])("[I3] the title in %j is %j", (said, title) => {
  expect(readModelTitle(said)).toEqual({ type: "title", title });
});

test.each(["", '""', "Title:", "# \n\n**", "\u200B", "What follows:"])("[I3] there is no title in %j", (said) => {
  expect(readModelTitle(said)).toEqual({ type: "blank" });
});

test("[I3] whatever a model says, what is taken of it is one clean line that fits, and reading it again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (said) => {
      const reading = readModelTitle(said);
      if (reading.type !== "title") return;
      expect(Array.from(reading.title).length).toBeLessThanOrEqual(MAX_TITLE);
      expect(reading.title).not.toMatch(/[\n\p{Cc}\p{Cf}]/u);
      expect(readTitle(reading.title)).toEqual(reading);
    }),
  );
});
