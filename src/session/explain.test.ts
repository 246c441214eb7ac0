import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { userText } from "../protocol/message.ts";
import type { StoredTurn } from "../protocol/store.ts";
import { EXCLUSIVE } from "../protocol/tool.ts";
import { explainTurn } from "./explain.ts";

const turn = (...facts: Fact[]): StoredTurn => ({
  turnId: "t",
  sessionId: "s",
  facts: facts.map((fact) => ({ atMs: 0, fact })),
  after: [],
});
const gone = { nowMs: 12_000, alive: false, language: "en" } as const;
const explained = (...facts: Fact[]): string => explainTurn(turn(...facts), gone).join("\n");

const start: Fact = {
  type: "turn-start",
  turnId: "t",
  seq: 0,
  message: userText("go"),
  model: "m",
  provider: "p",
  maxIterations: 1,
};
const attempt: Fact = { type: "attempt-start", attempt: 1, iteration: 1, model: "m" };
const empty: Fact = { type: "reply-empty" };
const LOST = "what the model had streamed of its reply by then was not kept";

test("[X1][G3] what a reply had streamed when its process died is said to be lost, and only then", () => {
  expect(explained(start, attempt, { type: "turn-resumed" })).toContain(
    `resumed after its process had stopped; ${LOST}`,
  );
  expect(explained(start, attempt)).toContain(
    "Its process has gone while it waited for the model.\nWhat the model had streamed of its reply by then was not kept.",
  );
  expect(explained(start, attempt, empty, { type: "turn-resumed" })).not.toContain(LOST);
});

test("[X13][B17] of a turn that runs it is told what it waits for, and since when; of a parked one, for whom", () => {
  const running = explainTurn(turn(start, attempt), { ...gone, alive: true });
  expect(running.at(-1)).toContain("It has waited 12 s for m to answer (attempt 1)");
  const call = { type: "tool-call", callId: "a", name: "write", input: "{}" } as const;
  const reply: Fact = {
    type: "assistant-message",
    seq: 1,
    message: { role: "assistant", parts: [call] },
    finish: "tool_calls",
    inspections: [{ claim: EXCLUSIVE, effect: "effect", ask: "it writes" }],
  };
  const asked: Fact = { type: "approval-requested", callIds: ["a"] };
  const parked = explained(start, attempt, reply, asked, { type: "turn-parked" });
  expect(parked).toContain("The turn has not ended.\nIt has waited 12 s for somebody to allow or deny write");
});

test("[J3][X1] a turn is told in Chinese, line for line as in English", () => {
  const call = { type: "tool-call", callId: "a", name: "write", input: "{}" } as const;
  const receipt: Fact = {
    type: "receipt",
    seq: 2,
    message: { role: "tool", callId: "a", status: "ok", parts: [{ type: "text", text: "done" }] },
  };
  const facts: readonly Fact[] = [
    start,
    attempt,
    { type: "request-adjusted", adjustment: { maxOutput: 9 } },
    { type: "retry-scheduled", delayMs: 2_000, untilMs: 2_000 },
    { type: "attempt-start", attempt: 2, iteration: 1, model: "m", rung: "nudge" },
    {
      type: "assistant-message",
      seq: 1,
      message: { role: "assistant", parts: [call] },
      finish: "tool_calls",
      inspections: [{ claim: EXCLUSIVE, effect: "effect", ask: "it writes" }],
    },
    { type: "approval-requested", callIds: ["a"] },
    { type: "approval-decided", callId: "a", allow: true },
    { type: "segment-start", callIds: ["a"], effect: "effect" },
    receipt,
    { type: "steer-accepted", steerId: "s", text: "and then?" },
    { type: "deadline-reached", limitMs: 5_000 },
    { type: "bug-caught", message: "oh" },
    { type: "turn-end", outcome: { exit: "time_limit", answer: null } },
  ];
  const [en, zh] = (["en", "zh"] as const).map((language) => explainTurn(turn(...facts), { ...gone, language }));
  expect(zh).toHaveLength(en?.length ?? 0);
  const plain = (zh ?? []).filter((line) => !/\p{Script=Han}/u.test(line));
  expect(plain).toEqual(["   0.00 s  write → ok: done"]);
  expect(zh).toContain("   0.00 s  询问 m（第 1 次迭代，第 2 次尝试，提醒它看工具的结果）");
  expect(zh).toContain("   0.00 s  等待 2 秒后再次尝试");
});

test("[X1] the name of a tool that a model made up commands no terminal", () => {
  const call = { type: "tool-call", callId: "a", name: "x\u001b]0;title\u0007", input: "{}" } as const;
  const lines = explained(
    start,
    attempt,
    {
      type: "assistant-message",
      seq: 1,
      message: { role: "assistant", parts: [call] },
      finish: "tool_calls",
      inspections: [{ claim: EXCLUSIVE, effect: "effect" }],
    },
    {
      type: "receipt",
      seq: 2,
      message: { role: "tool", callId: "a", status: "error", parts: [{ type: "text", text: "no such tool" }] },
    },
  );
  expect(lines).toContain("x ]0;title → error: no such tool");
  expect(lines).not.toContain("\u001b");
});

test("[C4] an end that its server calls by an unknown word is told, with the word", () => {
  const reply: Fact = {
    type: "assistant-message",
    seq: 1,
    message: { role: "assistant", parts: [{ type: "text", text: "hi" }] },
    finish: "stop",
  };
  expect(explained(start, attempt, { ...reply, unknownFinish: "new\nword" })).toContain(
    'the model answers: hi (its server calls this end "new word", which is not known here)',
  );
  expect(explained(start, attempt, reply)).not.toContain("not known here");
});

test("[A11][X1] who has added to the prompt is named, and what they said is not told", () => {
  const contexts = [
    { type: "context", source: "memory", text: "likes Lapsang" },
    { type: "context", source: "clock\u001b[2J", text: "noon" },
  ] as const;
  const course = explained(start, { type: "context-added", seq: 0, part: 1, contexts }, attempt);
  expect(course).toMatch(/context from memory, clock/u);
  for (const untold of ["Lapsang", "noon", "\u001b"]) expect(course).not.toContain(untold);
});
