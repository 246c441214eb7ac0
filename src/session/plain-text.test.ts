import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, printable } from "./plain-text.ts";

/** As it is meant, however long the text is. */
function whole(text: string, maxChars: number): string {
  const line = printable(text.replaceAll(/\p{Cc}+/gu, " ")).trim();
  return line.length > maxChars ? `${line.slice(0, maxChars - 1).toWellFormed()}…` : line;
}

test("[X1] a long text as one line is the beginning of the whole text as one line", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.constantFrom("\n", "\u0000".repeat(60), " ".repeat(50), "👨‍👩‍👧", "\u202E", "\uD83D"),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (long, most) => {
      expect(oneLine(long, most)).toBe(whole(long, most));
    }),
  );
});
