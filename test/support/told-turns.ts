import type { Fact } from "../../src/protocol/fact.ts";
import type { AssistantMessage, ToolMessage } from "../../src/protocol/message.ts";
import { userText } from "../../src/protocol/message.ts";
import { NO_USAGE, type Usage } from "../../src/protocol/outcome.ts";
import type { StoredTurn, TimedFact } from "../../src/protocol/store.ts";

/** Turns as they would be kept, written by hand: time is ms since they began. */

export const START: Fact = {
  type: "turn-start",
  turnId: "t",
  seq: 0,
  message: userText("fix it"),
  model: "m",
  provider: "p",
  maxIterations: 10,
};
export const attempt = (n: number, iteration: number): Fact => ({
  type: "attempt-start",
  attempt: n,
  iteration,
  model: "m",
});

export const asking = (
  seq: number,
  ...calls: readonly (readonly [id: string, name: string, input: object])[]
): Fact => {
  const parts = calls.map(([callId, name, input]) => {
    return { type: "tool-call", callId, name, input: JSON.stringify(input) } as const;
  });
  const message: AssistantMessage = { role: "assistant", parts };
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { type: "assistant-message", seq, message, finish: "tool_calls", usage };
};
const answer = (seq: number): Fact => ({
  type: "assistant-message",
  seq,
  message: { role: "assistant", parts: [{ type: "text", text: "done" }] },
  finish: "stop",
});
export const receipt = (seq: number, callId: string, text: string, status: ToolMessage["status"] = "ok"): Fact => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status, parts: [{ type: "text", text }] },
});
export const segment = (...callIds: string[]): Fact => ({ type: "segment-start", callIds, effect: "pure" });
export const END: Fact = { type: "turn-end", outcome: { exit: "text_response", answer: "done" } };
const LIMITED: Fact = {
  type: "model-failure",
  failure: {
    reason: "rate_limit",
    retryable: true,
    shouldCompress: false,
    shouldRotateCredential: false,
    shouldFallback: false,
    status: 429,
    message: "slow down",
  },
};

export const turn = (...facts: readonly (readonly [atMs: number, fact: Fact])[]): StoredTurn => ({
  turnId: "t",
  sessionId: "s",
  after: [],
  facts: facts.map(([atMs, fact]): TimedFact => ({ atMs: 1_000_000 + atMs, fact })),
});

/** Everything a person may want to see of a turn, once. */
export const FULL: StoredTurn = turn(
  [0, START],
  [10, attempt(1, 1)],
  [20, LIMITED],
  [20, { type: "retry-scheduled", delayMs: 500, untilMs: 520 }],
  [520, attempt(2, 1)],
  [600, asking(1, ["a", "read_file", { path: "a.txt" }], ["b", "search_files", { mode: "content", pattern: "x" }])],
  [600, segment("a", "b")],
  [700, receipt(2, "a", "a.txt: lines 1-3")],
  [900, receipt(3, "b", "No line matches")],
  [900, attempt(3, 2)],
  [950, asking(4, ["c", "terminal", { command: "make check" }])],
  [950, { type: "approval-requested", callIds: ["c"] }],
  [1_200, { type: "approval-decided", callId: "c", allow: true }],
  [1_200, { type: "segment-start", callIds: ["c"], effect: "effect" }],
  [1_300, { type: "steer-accepted", steerId: "1", text: "also tell me why" }],
  [1_800, receipt(5, "c", "Exit code 1 after 0.6 s.", "error")],
  [1_800, { type: "steer-placed", seq: 5, part: 1, steer: { type: "steer", steerId: "1", text: "also tell me why" } }],
  [1_800, attempt(4, 3)],
  [2_000, answer(6)],
  [2_000, END],
);

const usage = (input: number, output: number, cacheRead: number, cacheWrite: number): Usage => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  reasoning: 0,
});
const PRICE = { input: 3, output: 15, cacheRead: 0.3, source: "test list", asOf: "2026-11-30" };
const RUN = {
  attempts: 1,
  usage: NO_USAGE,
  bill: { usd: 0.002, guessUsd: 0, status: "estimated", source: "x" },
} as const;

/** What a picture can show beside that, once each: a long turn of a hard day, with a crash in it. */
export const RICH: StoredTurn = {
  ...turn(
    [0, { ...START, limit: { of: "turn", usd: 0.5, leftUsd: 0.5 } } as Fact],
    [2, { type: "context-added", seq: 0, part: 1, contexts: [{ type: "context", source: "time", text: "noon" }] }],
    [5, { ...attempt(1, 1), price: PRICE } as Fact],
    [40, LIMITED],
    [40, { type: "key-rotated", provider: "p", from: "aaaa", to: "bbbb" }],
    [45, attempt(2, 1)],
    [
      400,
      {
        ...asking(1, ["a", "delegate_task", { task: "look" }], ["b", "read_file", { path: "b.txt" }]),
        usage: usage(9_000, 50, 0, 8_000),
      } as Fact,
    ],
    [400, segment("a", "b")],
    [460, receipt(3, "b", "b.txt: lines 1-3")],
    [1_400, { type: "auxiliary-run", purpose: "child", model: "m", exit: "text_response", sessionId: "c", ...RUN }],
    [1_400, receipt(2, "a", "found it")],
    [1_400, { type: "summary-start" }],
    [1_700, { type: "auxiliary-run", purpose: "summary", model: "small", exit: "text_response", ...RUN }],
    [
      1_700,
      {
        type: "history-compacted",
        compaction: { through: 4, from: 1, instruction: 0, cutBefore: 2 },
        because: "pressure",
        tokens: { before: 9_000, after: 2_000 },
      },
    ],
    [1_710, attempt(3, 2)],
    [2_000, { ...asking(4, ["c", "terminal", { command: "npm test" }]), usage: usage(8_000, 20, 0, 0) } as Fact],
    [2_000, { type: "segment-start", callIds: ["c"], effect: "effect" }],
    [2_600, { type: "turn-resumed" }],
    [2_610, receipt(5, "c", "Interrupted, effect unknown.", "interrupted")],
    [2_620, attempt(4, 3)],
    [2_900, { ...LIMITED, failure: { ...(LIMITED as Failed).failure, reason: "overloaded", status: 529 } } as Fact],
    [2_900, { type: "model-switched", provider: "q", model: "n", price: PRICE, because: "overloaded" }],
    [2_905, { ...attempt(5, 3), model: "n" } as Fact],
    [3_000, { ...asking(6, ["d", "terminal", { command: "npm test" }]), usage: usage(8_000, 20, 0, 0) } as Fact],
    [3_000, { type: "approval-requested", callIds: ["d"] }],
    [3_000, { type: "turn-parked" }],
    [3_603_000, { type: "turn-unparked" }],
    [3_603_000, { type: "approval-decided", callId: "d", allow: true }],
    [3_603_000, { type: "segment-start", callIds: ["d"], effect: "effect" }],
    [3_604_000, warned(receipt(7, "d", "1 failed", "error"))],
    [3_604_010, { type: "interrupt-requested", by: "user" }],
    [3_604_020, { type: "turn-end", outcome: { exit: "interrupted_by_user", answer: null } }],
  ),
  after: [
    {
      atMs: 1_000_000 + 3_606_000,
      fact: { type: "auxiliary-run", turnId: "t", purpose: "review", model: "small", exit: "text_response", ...RUN },
    },
  ],
};

type Failed = Extract<Fact, { type: "model-failure" }>;

/** As a guardrail says it behind a result. */
function warned(fact: Fact): Fact {
  if (fact.type !== "receipt") return fact;
  const text = "\n\n[warn repeated_exact_failure_warning count=2: terminal failed 2 times with the same arguments.]";
  const { message } = fact;
  return {
    ...fact,
    message: { ...message, parts: [...message.parts, { type: "text", text }] },
    disk: { changes: [{ path: "/w/a.txt", before: null, after: "x" }] },
  };
}

/** The child agent of its first call. */
export const CHILD: StoredTurn = {
  turnId: "u",
  sessionId: "c",
  after: [],
  facts: [
    { atMs: 1_000_410, fact: { ...START, turnId: "u", message: userText("look around") } as Fact },
    { atMs: 1_000_420, fact: attempt(1, 1) },
    { atMs: 1_001_390, fact: answer(1) },
    { atMs: 1_001_395, fact: END },
  ],
};
