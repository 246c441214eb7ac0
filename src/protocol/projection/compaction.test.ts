import { expect, test } from "vitest";
import { compacted, type Compaction, shownHistory } from "./compaction.ts";
import { assistantText, type Message, textOf, userText } from "../message.ts";

const asks = (callId: string, name = "read_file"): Message => ({
  role: "assistant",
  parts: [{ type: "tool-call", callId, name, input: "{}" }],
});
const answers = (callId: string, text = "found"): Message => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text }],
});
const LONG = "a line\n".repeat(100);

const HISTORY = [
  [userText("who are you?"), assistantText("Evander.")],
  [userText("look"), asks("a"), answers("a", LONG), assistantText("seen")],
  [userText("now fix it"), asks("b"), answers("b", LONG), asks("c", "write_file"), answers("c", LONG)],
].flat();
const NOTHING: Compaction = { through: HISTORY.length, from: 0, instruction: 6, cutBefore: 0 };
const texts = (messages: readonly Message[]): string[] => messages.map(textOf);

test("[F3] the head stays as it was; then one message says what is left out, with the open items and the instruction word for word", () => {
  const told = { head: 2, summary: "The user had a look.", todos: "- [ ] fix it" };
  const sent = compacted(HISTORY, { ...NOTHING, ...told, from: 9 });
  expect(sent.slice(0, 2)).toEqual(HISTORY.slice(0, 2));
  expect(sent.slice(3)).toEqual(HISTORY.slice(9));
  expect(sent[2]?.role).toBe("user");
  const [, , middle = ""] = texts(sent);
  expect(middle).toMatch(/^\[6 earlier messages/);
  expect(middle.indexOf("The user had a look.")).toBeGreaterThan(0);
  expect(middle.indexOf("- [ ] fix it")).toBeGreaterThan(middle.indexOf("The user had a look."));
  expect(middle).toMatch(/\n\nnow fix it$/);
});

test("[F3] what begins with the instruction holds it once, behind what is left out", () => {
  const sent = compacted(HISTORY, { ...NOTHING, head: 2, from: 6 });
  expect(sent).toHaveLength(2 + 5);
  expect(texts(sent)[2]).toBe("[4 earlier messages of this conversation were left out to save room.]\n\nnow fix it");
});

test("[F2] only what look-ups found is cut where the compaction says so, and nothing of the head", () => {
  const cut = (more: Partial<Compaction>): number[] =>
    compacted(HISTORY, { ...NOTHING, cutBefore: HISTORY.length, ...more }).flatMap((message, at) =>
      message === HISTORY[at] ? [] : [at],
    );
  expect(cut({})).toEqual([4, 8, 10]);
  expect(cut({ cut: "look-ups" })).toEqual([4, 8]);
  expect(cut({ cut: "look-ups", head: 6, from: 6 })).toEqual([8]);
});

test("[HIST-02] a compaction that cuts between a call and its receipt sends neither half", () => {
  const sent = shownHistory(HISTORY, { ...NOTHING, from: 8, through: 10 });
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(sent.slice(1)).toEqual(HISTORY.slice(9));
  expect(shownHistory(HISTORY, undefined)).toEqual(HISTORY);
});
