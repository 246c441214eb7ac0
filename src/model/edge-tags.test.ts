import fc from "fast-check";
import { expect, test } from "vitest";
import { EdgeTags } from "./edge-tags.ts";

function passed(pieces: readonly string[]): string {
  const edges = new EdgeTags();
  return pieces.map((piece) => edges.pass(piece)).join("") + edges.end();
}

test("[C12] a thought loses the tags at its edges, and nothing in between", () => {
  expect(passed(["<thinking>Preparing"])).toBe("Preparing");
  expect(passed(["\n<THINK>\nhm", " so</think>", "\n"])).toBe("\nhm so");
  expect(passed(["a <think> b </think> c"])).toBe("a <think> b </think> c");
  expect(passed(["if a <", " b"])).toBe("if a < b");
  expect(passed(["<ul>", "a <"])).toBe("<ul>a <");
  expect(passed([" ", "hm"])).toBe(" hm");
});

test("[C12] where a thought is cut changes nothing", () => {
  const piece = fc.constantFrom("<", ">", "/", "think", "thinking", " ", "\n", "a", "<think>", "</think>");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(passed(pieces)).toBe(passed([pieces.join("")]));
    }),
  );
});
