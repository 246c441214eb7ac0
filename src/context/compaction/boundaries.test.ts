import fc from "fast-check";
import { expect, test } from "vitest";
import { assistantText, type Message, userText } from "../../protocol/message.ts";
import { compacted, shownHistory } from "../../protocol/projection/compaction.ts";
import { project } from "../../protocol/projection/project.ts";
import { beginsTurn, headSize, type TokensOf, tailStart } from "./boundaries.ts";

let calls = 0;
const exchange = (): Message[] => {
  const callId = `c${calls++}`;
  return [
    { role: "assistant", parts: [{ type: "tool-call", callId, name: "read", input: "{}" }] },
    { role: "tool", callId, status: "ok", parts: [{ type: "text", text: "found" }] },
  ];
};
const turn = (exchanges: number, answered = true): Message[] => [
  userText("Q"),
  ...Array.from({ length: exchanges }, exchange).flat(),
  ...(answered ? [assistantText("A")] : []),
];
const ten: TokensOf = () => 10;

test("[F3] the head is whole exchanges, never of the running turn, and none where it is large", () => {
  const history = [...turn(2), ...turn(0), ...turn(1, false)];
  const instruction = history.findLastIndex(beginsTurn);
  // Q, the first call and its receipt.
  expect(headSize(history, { instruction, most: 100 }, ten)).toBe(3);
  expect(headSize(history, { instruction, most: 29 }, ten)).toBe(0);
  expect(headSize(turn(9, false), { instruction: 0, most: 100 }, ten)).toBe(0);
  // A question without its answer stays with neither.
  const short = [...turn(0), ...turn(0)];
  expect(headSize(short, { instruction: 2, most: 100 }, ten)).toBe(2);
});

test("[F3] [F4] whole old turns go, no more than has to; of a turn that is itself too long the oldest exchanges", () => {
  const history = [...turn(0), ...turn(0), ...turn(0), ...turn(0), ...turn(9, false)];
  const cut = { start: 0, instruction: 8, keepFrom: history.length };
  expect(tailStart(history, { ...cut, tail: 230 }, ten)).toBe(4);
  expect(tailStart(history, { ...cut, tail: 190 }, ten)).toBe(8);
  // Half as much again is no reason to cut the running turn.
  expect(tailStart(history, { ...cut, tail: 130 }, ten)).toBe(8);
  const from = tailStart(history, { ...cut, tail: 60 }, ten) ?? 0;
  expect(from).toBeGreaterThan(8);
  expect(history[from]?.role).toBe("assistant");
  expect(tailStart(history, { ...cut, tail: 0 }, ten)).toBe(history.length - 2);
});

test("[F3] from what a person wants to keep on nothing is left out", () => {
  const history = [...turn(0), ...turn(0), ...turn(0), ...turn(0)];
  const cut = { start: 0, instruction: 6, tail: 0 };
  expect(tailStart(history, { ...cut, keepFrom: 5 }, ten)).toBe(4);
  expect(tailStart(history, { ...cut, keepFrom: 1 }, ten)).toBeUndefined();
});

const histories = fc
  .array(fc.tuple(fc.nat(4), fc.boolean()), { minLength: 1, maxLength: 6 })
  .map((turns) => turns.flatMap(([exchanges, answered]) => turn(exchanges, answered)));

test("[F3] [COMP-03] wherever it is cut: pairs stay whole, and the instruction is sent, behind the summary", () => {
  fc.assert(
    fc.property(histories, fc.nat(300), (history, tail) => {
      const instruction = history.findLastIndex(beginsTurn);
      const head = headSize(history, { instruction, most: 100 }, ten);
      const from = tailStart(history, { start: head, instruction, tail, keepFrom: history.length }, ten);
      if (from === undefined) return;
      const compaction = { through: history.length, from, instruction, cutBefore: 0, head, summary: "S" };
      const sent = project(compacted(history, compaction));
      const open = sent.flatMap(({ role, parts }) =>
        role === "assistant" ? parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])) : [],
      );
      const receipts = sent.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
      expect(receipts).toEqual(open);
      const texts = JSON.stringify(sent);
      expect(texts.indexOf("What the user says from here on")).toBeLessThan(texts.lastIndexOf('"Q"'));
      expect(shownHistory(history, compaction).length).toBeLessThanOrEqual(history.length);
    }),
  );
});
