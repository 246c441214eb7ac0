import type { Fact } from "../../src/protocol/fact.ts";
import { assistantText, userText } from "../../src/protocol/message.ts";
import { NO_USAGE, type Usage } from "../../src/protocol/outcome.ts";
import type { Compaction } from "../../src/protocol/projection/compaction.ts";
import { SHARED } from "../../src/protocol/tool.ts";

export const usage: Usage = { ...NO_USAGE, input: 10, output: 5 };
const at = (attempt: number, iteration: number = attempt): Fact => ({
  type: "attempt-start",
  attempt,
  iteration,
  model: "m",
  size: { messages: 1, bytes: 10 },
});
const says = (seq: number, text: string): Fact => ({
  type: "assistant-message",
  seq,
  message: assistantText(text),
  finish: "stop",
  usage,
});
export const receipt = (seq: number, callId: string): Fact => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status: "ok", parts: [{ type: "text", text: "done" }] },
});
export const start = (turnId: string, seq: number, text: string): Extract<Fact, { type: "turn-start" }> => ({
  type: "turn-start",
  turnId,
  seq,
  message: userText(text),
  model: "m",
  provider: "p",
  maxIterations: 9,
});
const end = (answer: string): Fact => ({ type: "turn-end", outcome: { exit: "text_response", answer } });
const asks: Fact = {
  type: "assistant-message",
  seq: 1,
  message: {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "hm", opaque: { signature: "x" }, provenance: { provider: "p", model: "m" } },
      { type: "tool-call", callId: "c1", name: "send", input: "{}" },
      { type: "tool-call", callId: "c2", name: "read", input: "{}" },
    ],
  },
  finish: "tool_calls",
  usage,
  inspections: [
    { claim: SHARED, effect: "effect", ask: "it sends" },
    { claim: SHARED, effect: "pure" },
  ],
};
export const begins = (callId: string, effect: "effect" | "pure"): Fact => ({
  type: "segment-start",
  callIds: [callId],
  effect,
});
export const decided = (allow: boolean, atMs: number): Fact => ({
  type: "approval-decided",
  callId: "c1",
  allow,
  atMs,
});
export const compaction: Compaction = { through: 2, from: 1, instruction: 0, cutBefore: 0 };

/** A session of two turns with something of everything, each fact a commit of its own: row n holds fact n - 1. */
export const soundFacts = (): readonly Fact[] => [
  start("t1", 0, "hello"),
  at(1),
  asks,
  { type: "approval-requested", callIds: ["c1"] },
  { type: "turn-parked" },
  decided(true, Date.now()),
  { type: "turn-unparked" },
  begins("c1", "effect"),
  receipt(2, "c1"),
  begins("c2", "pure"),
  receipt(3, "c2"),
  { type: "steer-accepted", steerId: "s1", text: "softly" },
  { type: "steer-accepted", steerId: "s2", text: "slowly" },
  { type: "steer-placed", seq: 3, part: 1, steer: { type: "steer", steerId: "s1", text: "softly" } },
  { type: "steer-placed", seq: 3, part: 2, steer: { type: "steer", steerId: "s2", text: "slowly" } },
  { type: "injection-accepted", injectionId: "i1", text: "and this" },
  at(2),
  says(4, "One."),
  { type: "injection-delivered", injectionId: "i1", seq: 5, message: { ...userText("and this"), midTurn: true } },
  at(3),
  says(6, "Done."),
  end("Done."),
  { ...start("t2", 7, "again"), idempotencyKey: "k" },
  at(1),
  { type: "history-compacted", compaction },
  at(2, 1),
  { type: "compaction-judged", tokens: 5, strikes: 1 },
  says(8, "Two."),
  end("Two."),
  { type: "auxiliary-run", purpose: "title", turnId: "t2", model: "m", exit: "text_response", attempts: 1, usage },
];
