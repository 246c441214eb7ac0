import fc from "fast-check";
import { expect, test } from "vitest";
import { fenced } from "../protocol/context.ts";
import { ContextFilter } from "./context-filter.ts";

function shown(pieces: readonly string[], filter = new ContextFilter()): string {
  return pieces.map((piece) => filter.pass(piece)).join("") + filter.end();
}

const OURS = fenced({ type: "context", source: "memory", text: "likes tea" });

test("[A11] a fence that a model repeats is taken out wherever the stream is cut", () => {
  const text = `before\n${OURS}\nbetween\n  <Memory-Context>\r\nold\n</MEMORY-context>after <`;
  expect(shown([text])).toBe("before\n\nbetween\n  after <");
  expect(shown(text.split(""))).toBe("before\n\nbetween\n  after <");
});

test("[A11] a tag that is only mentioned is text: in a line, with words behind it, or as the last thing said", () => {
  for (const text of [
    "the `<context-data>` tag",
    "a <context-data>\nb</context-data>",
    "<context-data> is a tag",
    "<context-data>",
    "</context-data>\n",
    "<context-data\n>",
    "<context-dat",
    "a <context-data>",
  ])
    for (const pieces of [[text], text.split("")]) expect(shown(pieces)).toBe(text);
});

test("[A11] a fence that is not closed hides all that follows, and nothing of the next text", () => {
  const filter = new ContextFilter();
  expect(shown(["a\n<context-data>\nsecret </context-dat"], filter)).toBe("a\n");
  expect(shown(["b\n"], filter)).toBe("b\n");
});

test("[A11] one fence may follow another in a line, and a text that goes on begins no line", () => {
  expect(shown(["<context-data>\na</context-data><memory-context>\nb</memory-context>c"])).toBe("c");
  expect(shown(["<context-data>\na"], new ContextFilter(false))).toBe("<context-data>\na");
});

const piece = fc.constantFrom(
  "<context-data>",
  "</context-data>",
  "<memory-context>",
  "</memory-context>",
  "<context",
  "-data>",
  "<",
  "/",
  "\n",
  "\r\n",
  " ",
  "word",
);

test("[A11] what is shown never depends on the cuts", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }),
      fc.array(fc.nat({ max: 40 }), { maxLength: 6 }),
      (pieces, places) => {
        const text = pieces.join("");
        const ends = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b);
        const cut = [...ends, text.length].map((end, at) => text.slice(at === 0 ? 0 : ends[at - 1], end));
        expect(shown(cut)).toBe(shown([text]));
        expect(shown(pieces)).toBe(shown([text]));
      },
    ),
  );
});

test("[A11] a text without a bracket is handed on as it is, and a long one with many costs its length", () => {
  const filter = new ContextFilter();
  const plain = "word ".repeat(10);
  expect(filter.pass(plain)).toBe(plain);
  const many = "<context-data>x".repeat(20_000);
  expect(filter.pass(many)).toBe(many);
  expect(
    shown(
      Array.from({ length: 200_000 }, () => "<"),
      filter,
    ),
  ).toHaveLength(200_000);
});
