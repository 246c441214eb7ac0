import fc from "fast-check";
import { expect, test } from "vitest";
import { stripThinkCase, thinkScrubberCase, thinkStreamCase } from "./adapters/think.ts";
import { shownOf } from "./think-model.ts";

const NAMES = ["think", "thinking", "thought", "reasoning", "REASONING_SCRATCHPAD", "Think", "tool_call"];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES).map((name) => `<${name}>`) },
  { weight: 4, arbitrary: fc.constantFrom(...NAMES, "function").map((name) => `</${name}>`) },
  { weight: 6, arbitrary: fc.constantFrom("a", "b c", "word ", " ", "  ", "\n", "\n  ", "x < y", "a <", "1<2") },
  { weight: 2, arbitrary: fc.constantFrom('<function name="x">', "<function=x>", '<tool_call id="1">', ". ", "So: ") },
  { weight: 1, arbitrary: fc.constantFrom("u`v", "<thinker>", "<think_x>", "<think/>", "<think-a>", "<b>") },
  { weight: 1, arbitrary: fc.constantFrom("<|channel|>", "<channel|>", "<think广", "<thought!", "<think ") },
  { weight: 1, arbitrary: fc.constantFrom("<th", "<thin", "</th", "</reason", "<rea", "<|chan", "<") },
);
/** The empty block that counts only at the very start or end stands only there. */
const empty = fc.constantFrom("", "", "", "<thinking/>");
const body = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
const text = fc.tuple(empty, body, empty).map((parts) => parts.join(""));

function cut(whole: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [...ends, whole.length].map((end, at) => whole.slice(at === 0 ? 0 : ends[at - 1], end));
}

test("[C12] whatever the text and wherever it is cut, exactly what the specification names is hidden", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, places) => {
      const steps = [...cut(whole, places).map((feed) => ({ feed })), { flush: true }];
      expect(thinkScrubberCase({ steps })).toMatchObject({ visible: shownOf(whole).shown });
    }),
    { numRuns: 2_000 },
  );
});

test("[C12] a whole text is stripped to what its stream would have shown", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, places) => {
      const { shown, unfinished } = shownOf(whole);
      const stripped = unfinished ? shown.replace(/\n[ \t]*$/, "") : shown;
      expect(stripThinkCase({ text: whole })).toEqual({ text: stripped });
      expect(thinkStreamCase({ chunks: cut(whole, places) })).toMatchObject({
        visible: shown.trim(),
        whole_text_stripped: stripped.trim(),
      });
    }),
    { numRuns: 1_000 },
  );
});
