import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { assistantText, userText } from "../protocol/message.ts";
import { EXCLUSIVE } from "../protocol/tool.ts";
import { diagnosticOf } from "./diagnostic.ts";
import { refusalResult } from "./result.ts";
import { stateOf } from "./unfinished.ts";

const call = { type: "tool-call", callId: "a", name: "look", input: "{}" } as const;
const upToReceipt: readonly Fact[] = [
  { type: "turn-start", turnId: "t", seq: 0, message: userText("go"), model: "m", provider: "p", maxIterations: 9 },
  { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
  {
    type: "assistant-message",
    seq: 1,
    message: { role: "assistant", parts: [call] },
    finish: "tool_calls",
    inspections: [{ claim: EXCLUSIVE, effect: "pure", ask: "" }],
  },
  { type: "segment-start", callIds: ["a"], effect: "pure" },
  {
    type: "receipt",
    seq: 2,
    message: { role: "tool", callId: "a", status: "ok", parts: [{ type: "text", text: "x" }] },
  },
];
const result = refusalResult({ reason: "internal_error", message: "oh", sessionId: "s" });

test("[J2] a turn whose last message is a tool's result warns, unless somebody interrupted it", () => {
  const silent = diagnosticOf(stateOf(upToReceipt), result);
  expect(silent).toMatchObject({
    level: "warn",
    fields: { event: "turn-end", session: "s", turn: "t", last_role: "tool" },
  });
  expect(diagnosticOf(stateOf(upToReceipt), { ...result, interrupted: true }).level).toBe("info");
  const closing: Fact = { type: "closing-message", seq: 3, message: assistantText("bye") };
  expect(diagnosticOf(stateOf([...upToReceipt, closing]), result)).toMatchObject({ level: "info" });
});
