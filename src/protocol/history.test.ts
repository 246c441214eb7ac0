import fc from "fast-check";
import { expect, test } from "vitest";
import { legalHistory, lostReceipt, mendHistory } from "./history.ts";
import { type AssistantMessage, assistantText, callsOf, type Message, type ToolMessage, userText } from "./message.ts";

const asks = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  parts: [
    { type: "text", text: "so" },
    ...ids.map((callId) => ({ type: "tool-call", callId, name: "x", input: "{}" }) as const),
  ],
});
const answers = (callId: string, text = callId): ToolMessage => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text }],
});

/** Every call is answered once, directly behind its message, in the order asked; no receipt stands anywhere else. */
function isLegal(history: readonly Message[]): boolean {
  let due: string[] = [];
  const fits = history.every((message) => {
    if (message.role === "tool") return message.callId === due.shift();
    if (due.length > 0) return false;
    due = message.role === "assistant" ? callsOf(message).map(({ callId }) => callId) : [];
    return true;
  });
  return fits && due.length === 0;
}

test("[F2] [HIST-02] lost receipts are filled in, late ones moved behind their call, orphans and second ones dropped", () => {
  const history = [
    answers("x"),
    userText("go"),
    asks("a", "b", "c"),
    answers("b"),
    answers("b", "again"),
    userText("on"),
  ];
  expect(legalHistory([...history, answers("a"), answers("y")])).toEqual([
    userText("go"),
    asks("a", "b", "c"),
    answers("a"),
    answers("b"),
    lostReceipt("c"),
    userText("on"),
  ]);
});

test("[F2] what is taken over behind other messages has no id of theirs", () => {
  expect(legalHistory([asks("a", "b"), answers("b")], [userText("go"), asks("a"), answers("a")])).toEqual([
    asks("a_2", "b"),
    lostReceipt("a_2"),
    answers("b"),
  ]);
});

test("[F2] an id that is used again is another one, with its own receipt each time and none from before its call", () => {
  const again = [answers("a", "early"), asks("a"), answers("a", "first"), asks("a", "a_2"), answers("a", "second")];
  expect(legalHistory(again)).toEqual([
    asks("a"),
    answers("a", "first"),
    asks("a_2", "a_2_2"),
    answers("a_2", "second"),
    lostReceipt("a_2_2"),
  ]);
});

const message = fc.oneof(
  fc.constantFrom<Message>(userText("u"), assistantText("a")),
  fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }).map((ids): Message => asks(...ids)),
  fc.constantFrom("a", "b", "c").map((id): Message => answers(id)),
);

test("[F2] whatever a history was, it is legal afterwards, and a legal one is not changed", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (history) => {
      const legal = legalHistory(history);
      expect(isLegal(legal)).toBe(true);
      expect(legalHistory(legal)).toEqual(legal);
      expect(mendHistory(legal)).toEqual(legal);
    }),
  );
});

test("[G3] a damaged history becomes legal, and no message that still stands changes its place", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.array(fc.nat({ max: 11 })), (history, lost) => {
      const damaged = legalHistory(history).map((whole, at) => (lost.includes(at) ? undefined : whole));
      const mended = mendHistory(damaged);
      expect(isLegal(mended)).toBe(true);
      expect(mended.length).toBeGreaterThanOrEqual(damaged.length);
      const standing = (message: Message | undefined): boolean => message !== undefined && message.role !== "tool";
      expect(mended.filter((_whole, at) => standing(damaged[at]))).toEqual(damaged.filter(standing));
    }),
  );
});

test("[G3] what a damaged store has lost is a lost receipt, or silence", () => {
  expect(mendHistory([userText("go"), asks("a", "b"), undefined, answers("b"), undefined])).toEqual([
    userText("go"),
    asks("a", "b"),
    lostReceipt("a"),
    answers("b"),
    { role: "assistant", parts: [] },
  ]);
  expect(mendHistory([undefined, answers("a"), asks("a"), userText("next")])).toEqual([
    { role: "assistant", parts: [] },
    { role: "assistant", parts: [] },
    assistantText("so"),
    userText("next"),
  ]);
  expect(mendHistory([asks("a", "b"), answers("b")])).toEqual([asks("a", "b"), lostReceipt("a"), lostReceipt("b")]);
});
