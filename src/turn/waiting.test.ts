import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { userText } from "../protocol/message.ts";
import type { Failure } from "../protocol/failure.ts";
import { EXCLUSIVE } from "../protocol/tool.ts";
import type { Waiting } from "../protocol/waiting.ts";
import { apply } from "./apply.ts";
import { initialState, type Setup, UNATTENDED } from "./state.ts";
import { noteTime, waitingOf, type WaitTimes } from "./waiting.ts";

const setup = { model: "m", provider: "p", maxIterations: 9, approvals: "ask", ...UNATTENDED } as const;

/** What the turn waits for behind each fact; fact n comes at n seconds. */
function course(facts: readonly Fact[], more: Partial<Setup> = {}): (Waiting | undefined)[] {
  const state = initialState({ ...setup, ...more }, []);
  const times: WaitTimes = {};
  return facts.map((fact, index) => {
    apply(state, fact);
    noteTime(times, fact, index * 1_000);
    return waitingOf(state, times);
  });
}

const failure: Failure = {
  reason: "overloaded",
  retryable: true,
  shouldCompress: false,
  shouldRotateCredential: false,
  shouldFallback: false,
  message: "no",
};
const call = (callId: string, name: string): { type: "tool-call"; callId: string; name: string; input: string } => ({
  type: "tool-call",
  callId,
  name,
  input: "{}",
});
const receipt = (callId: string, seq: number): Fact => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status: "ok", parts: [] },
});

const start = { type: "turn-start", turnId: "t", seq: 0, message: userText("go"), model: "m", provider: "p" } as const;
const FACTS: readonly Fact[] = [
  { ...start, maxIterations: 9 },
  { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
  { type: "model-failure", failure },
  { type: "retry-scheduled", delayMs: 7_000, untilMs: 10_000 },
  { type: "attempt-start", attempt: 2, iteration: 1, model: "m", limitMs: 60_000 },
  { type: "steer-accepted", steerId: "s", text: "quickly" },
  {
    type: "assistant-message",
    seq: 1,
    message: { role: "assistant", parts: [call("a", "look"), call("b", "read"), call("c", "write")] },
    finish: "tool_calls",
    inspections: [
      { claim: { mode: "shared" }, effect: "pure" },
      { claim: { mode: "shared" }, effect: "pure" },
      { claim: EXCLUSIVE, effect: "effect", ask: "it writes" },
    ],
  },
  { type: "segment-start", callIds: ["a", "b"], effect: "pure" },
  receipt("a", 2),
  { type: "approval-requested", callIds: ["c"] },
  receipt("b", 3),
  { type: "turn-parked" },
  { type: "approval-decided", callId: "c", allow: true },
  { type: "turn-unparked" },
  { type: "segment-start", callIds: ["c"], effect: "effect" },
  { type: "interrupt-requested", by: "user" },
];

test("[B17] behind every fact the turn says what it waits for, since when and until when", () => {
  const none = { untilMs: null };
  const approval = {
    type: "approval",
    calls: [{ approvalId: "t-4", callId: "c", name: "write", input: "{}", why: "it writes" }],
    ...none,
  };
  expect(course(FACTS)).toEqual([
    { type: "store", sinceMs: 0, ...none },
    { type: "model-reply", model: "m", attempt: 1, sinceMs: 1_000, ...none },
    { type: "store", sinceMs: 2_000, ...none },
    { type: "retry", attempt: 2, sinceMs: 3_000, untilMs: 10_000 },
    { type: "model-reply", model: "m", attempt: 2, sinceMs: 4_000, untilMs: 64_000 },
    { type: "model-reply", model: "m", attempt: 2, sinceMs: 4_000, untilMs: 64_000 },
    { type: "store", sinceMs: 6_000, ...none },
    { type: "tools", names: ["look", "read"], sinceMs: 7_000, ...none },
    { type: "tools", names: ["read"], sinceMs: 7_000, ...none },
    { ...approval, sinceMs: 9_000 },
    { ...approval, sinceMs: 9_000 },
    { ...approval, sinceMs: 9_000 },
    { type: "resume", sinceMs: 12_000, ...none },
    { type: "store", sinceMs: 13_000, ...none },
    { type: "tools", names: ["write"], sinceMs: 14_000, ...none },
    { type: "tools", names: ["write"], sinceMs: 14_000, ...none },
  ]);
});

test("[A11][B17] before its first request a turn waits for those who add to its message, where there are any", () => {
  const [begun, attempt] = FACTS.slice(0, 2) as [Fact, Fact];
  const contexts = [{ type: "context", source: "memory", text: "x" }] as const;
  const told: Fact = { type: "context-added", seq: 0, part: 1, contexts };
  const types = course([begun, { type: "turn-resumed" }, told, attempt], { informed: true }).map((waiting) => [
    waiting?.type,
    waiting?.sinceMs,
  ]);
  expect(types).toEqual([
    ["context", 0],
    ["context", 1_000],
    ["store", 2_000],
    ["model-reply", 3_000],
  ]);
});

test("[B17] a turn that has not begun or has ended waits for nothing", () => {
  expect(waitingOf(initialState(setup, []), {})).toBeUndefined();
  const end: Fact = { type: "turn-end", outcome: { exit: "text_response", answer: "yes" } };
  expect(course([...FACTS.slice(0, 2), end]).at(-1)).toBeUndefined();
});
