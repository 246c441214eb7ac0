import fc from "fast-check";
import { expect, test } from "vitest";
import { legalHistory } from "../history.ts";
import { type AssistantMessage, assistantText, type Message, textOf, userText } from "../message.ts";
import { legalStart, recentFrom, replayFrom, snipFrom } from "./selection.ts";

const asks = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  parts: ids.map((callId) => ({ type: "tool-call", callId, name: "x", input: "{}" })),
});
const answers = (callId: string): Message => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text: callId }],
});
const delivery: Message = { ...assistantText("reminder"), extra: { _channel_delivery: true } };

/** A question and so many rounds of one call. */
const turn = (name: string, rounds: number): Message[] => [
  userText(name),
  ...Array.from({ length: rounds }, (_, at) => [asks(`${name}${at}`), answers(`${name}${at}`)]).flat(),
  assistantText(`${name} done`),
];

test("[F2] a history begins behind the last receipt whose call is not in it", () => {
  expect(legalStart([userText("u"), asks("a"), answers("a")])).toBe(0);
  expect(legalStart([answers("z"), assistantText("a"), answers("y"), userText("u")])).toBe(3);
  expect(legalStart([userText("u"), asks("a"), answers("gone"), answers("a")])).toBe(4);
});

test("[F4] whatever is archived, the newest eight messages are shown with the question they belong to", () => {
  const history = [...turn("one", 1), ...turn("two", 6)];
  expect(replayFrom(history, 0)).toBe(0);
  expect(replayFrom(history, 2)).toBe(4);
  expect(replayFrom(history, history.length)).toBe(4);
  const short = [...turn("one", 1), ...turn("two", 1), ...turn("three", 1)];
  expect(replayFrom(short, short.length)).toBe(4);
  expect(replayFrom([assistantText("noise"), delivery, userText("thanks")], 0)).toBe(1);
});

test("[F2] the newest messages that fit begin with a user; the last message always stays", () => {
  const history = [...turn("one", 1), ...turn("two", 1), ...turn("three", 1)];
  const each = (tokens: number) => (): number => tokens;
  expect(snipFrom(history, 120, each(10))).toBe(0);
  expect(snipFrom(history, 110, each(10))).toBe(4);
  expect(snipFrom(history, 79, each(10))).toBe(8);
  expect(snipFrom(history, 5, each(10))).toBe(8);
  expect(snipFrom([userText("u"), userText("huge")], 5, (message) => textOf(message).length * 10)).toBe(1);
});

test("[F2] [HIST-02] wherever a history is cut, what is kept has no half of a pair and is never nothing", () => {
  const message = fc.oneof(
    fc.constantFrom<Message>(userText("u"), assistantText("a"), delivery),
    fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }).map((ids): Message => asks(...ids)),
    fc.constantFrom("a", "b", "c").map((id): Message => answers(id)),
  );
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 30 }), fc.nat({ max: 30 }), (messages, size) => {
      const history = legalHistory([userText("first"), ...messages]);
      const cuts = [
        replayFrom(history, size),
        recentFrom(history, size + 1),
        recentFrom(history, size + 1, true),
        snipFrom(history, size, () => 1),
      ];
      for (const from of cuts) {
        const kept = history.slice(from);
        expect(legalHistory(kept)).toEqual(kept);
        expect(kept[0]?.role).not.toBe("tool");
      }
      expect(history.slice(snipFrom(history, size, () => 1)).at(-1)).toBe(history.at(-1));
    }),
  );
});
