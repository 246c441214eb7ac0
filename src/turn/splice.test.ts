import fc from "fast-check";
import { expect, test } from "vitest";
import type { Delta } from "../protocol/fact.ts";
import type { AssistantMessage } from "../protocol/message.ts";
import type { ModelReply } from "../protocol/ports.ts";
import { addedText, Splice, spliced } from "./splice.ts";
import type { CutReply } from "./state.ts";

const cutAt = (text: string): CutReply => ({
  text,
  reasoning: "",
  by: "network",
  droppedTools: [],
  times: 1,
  byLength: 0,
  onlyThought: 0,
});

const failure = {
  reason: "timeout",
  retryable: true,
  shouldCompress: false,
  shouldRotateCredential: false,
  shouldFallback: false,
  message: "it broke",
} as const;

const replies: readonly ((text: string) => ModelReply)[] = [
  (text) => ({ type: "message", message: { role: "assistant", parts: [{ type: "text", text }] }, finish: "stop" }),
  (text) => ({ type: "cut", partial: { text, reasoning: "", droppedTools: [] } }),
  (text) => ({ type: "failure", failure, partial: { text, reasoning: "", droppedTools: [] } }),
  (text) => ({ type: "aborted", text, reasoning: "" }),
];

const textIn = (parts: AssistantMessage["parts"]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** What the text of the turn is after this reply. */
function after(before: string, reply: ModelReply): string {
  const after_ = spliced(reply, cutAt(before));
  switch (after_.type) {
    case "message":
      return textIn(after_.message.parts);
    case "aborted":
      return after_.text;
    case "cut":
    case "failure":
      return before + (after_.partial?.text ?? "");
    case "empty":
      return before;
  }
}

test("[C8 C10] a text that begins again is left out as far as it was said; anything else is added", () => {
  expect(addedText("half", " done", true)).toBe(" done");
  expect(addedText("half", "half done", false)).toBe(" done");
  expect(addedText("half", "\n\nhalf done", false)).toBe(" done");
  expect(addedText("half", "ha", false)).toBe("");
  expect(addedText("half", "ha", true)).toBe("ha");
  expect(addedText("half", "half", true)).toBe("");
  expect(addedText("", " all", true)).toBe(" all");
});

test("[C8 C10 C12] however a continuation is cut and ends, what is shown is what is kept", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " "), minLength: 1, maxLength: 8 });
  const pieces = fc.array(text, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(text, pieces, fc.boolean(), fc.nat(3), (before, own, again, kind) => {
      const given = again ? [before.slice(0, 2), before.slice(2), ...own] : own;
      const reply = replies[kind]?.(given.join("")) ?? { type: "empty" };
      const splice = new Splice(cutAt(before));
      const deltas = given.map((piece): Delta => ({ type: "text-delta", text: piece }));
      const shown = [...deltas.flatMap((delta) => splice.pass([delta])), ...splice.end(reply)];
      expect(before + shown.map((delta) => (delta.type === "text-delta" ? delta.text : "")).join("")).toBe(
        after(before, reply),
      );
    }),
    { numRuns: 1_000 },
  );
});
