import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf, type ToolMessage } from "../message.ts";
import { cutReceipt, sentReceipt } from "./receipts.ts";

const receipt = (text: string): ToolMessage => ({
  role: "tool",
  callId: "c",
  status: "ok",
  parts: [{ type: "text", text }],
});
const shown = (text: string): string => textOf(sentReceipt(receipt(text)));

const blob = (chars: number): string => "iVBORw0KGgoAAAANSUhEUg1+/".repeat(Math.ceil(chars / 25)).slice(0, chars);

test("[COMP-13] every file in a text is mentioned, with its type where it is told, and what is around it stays", () => {
  expect(shown(`a "${blob(2_000)}==" b`)).toBe('a "[2000 characters of base64 left out]" b');
  expect(shown(`<img src="data:image/png;base64,${blob(5_000)}">, ${blob(3_001)}`)).toBe(
    '<img src="data:image/png;base64,[5000 characters of image/png in base64 left out]">, [3001 characters of base64 left out]',
  );
});

test.for([
  ["a short one", `key: ${blob(1_999)}`],
  ["one letter", "x".repeat(50_000)],
  ["a row of digits", "0123456789".repeat(3_000)],
  ["a long word", "abcdefghij/".repeat(3_000)],
  ["prose", "The quick brown Fox jumps over 12 lazy dogs. ".repeat(500)],
  ["base64 in lines", `${blob(76)}\n`.repeat(100)],
])("[COMP-13] what is no file is left as it is: %s", ([, text = ""]) => {
  const message = receipt(text);
  expect(sentReceipt(message)).toBe(message);
});

test("[COMP-12] [COMP-13] whatever a result is: it is short enough, whole where it may be, and the same when it is sent again", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer({ min: 1, max: 6_000 }).map((chars) => blob(chars)),
    fc.integer({ min: 1, max: 120_000 }).map((length) => "y ".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const message: ToolMessage = { ...receipt(""), parts: pieces.map((text) => ({ type: "text", text })) };
      const sent = sentReceipt(message);
      expect(textOf(sent).length).toBeLessThanOrEqual(110_000);
      expect(sentReceipt(sent)).toBe(sent);
      if (sent === message) return;
      expect(textOf(sent)).toMatch(/left out/);
    }),
  );
});

test("[COMP-12] [COMP-13] a file that stands in two parts of a long result is found where they are joined", () => {
  const message: ToolMessage = {
    ...receipt(""),
    parts: [`${"y ".repeat(60_000)}${blob(1_000)}`, `${blob(1_500)} end`].map((text) => ({ type: "text", text })),
  };
  const sent = sentReceipt(message);
  expect(textOf(sent)).toMatch(/y \[2500 characters of base64 left out\] end$/);
  expect(sentReceipt(sent)).toBe(sent);
});

test("[F2] a long result is one line, what the user said on it stays, and a line is not cut again", () => {
  const steer = { type: "steer", steerId: "s", text: "hurry" } as const;
  const long: ToolMessage = {
    ...receipt("first line\n".repeat(60)),
    parts: [...receipt("first line\n".repeat(60)).parts, steer],
  };
  const cut = cutReceipt(long);
  expect(cut.parts).toEqual([
    {
      type: "text",
      text: "[659 characters of old output were left out; they began: first line; do not repeat the call unchanged]",
    },
    steer,
  ]);
  expect(cutReceipt(cut)).toBe(cut);
  const short = receipt("x".repeat(500));
  expect(cutReceipt(short)).toBe(short);
});
