import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import type { Failure } from "../protocol/failure.ts";
import { userText } from "../protocol/message.ts";
import type { Effect, Inspection } from "../protocol/tool.ts";
import { apply } from "./apply.ts";
import { type Action, decide } from "./decide.ts";
import { type ApprovalPolicy, initialState, type TurnState, UNATTENDED } from "./state.ts";

const start: Fact = {
  type: "turn-start",
  turnId: "t",
  seq: 0,
  message: userText("go"),
  model: "m",
  provider: "p",
  maxIterations: 5,
};

function stateAfter(facts: readonly Fact[], approvals: ApprovalPolicy = "never", runtime?: string): TurnState {
  const state = initialState(
    {
      model: "m",
      provider: "p",
      maxIterations: 5,
      approvals,
      ...(runtime !== undefined && { runtime }),
      ...UNATTENDED,
    },
    [],
  );
  for (const fact of facts) apply(state, fact);
  return state;
}

/** A turn whose model has asked for one call, and what followed. */
function decided(inspection: Inspection, then: readonly Fact[], approvals: ApprovalPolicy = "never"): Action {
  const facts: Fact[] = [
    start,
    { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
    {
      type: "assistant-message",
      seq: 1,
      message: { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "t", input: "{}" }] },
      finish: "tool_calls",
      inspections: [inspection],
    },
    ...then,
  ];
  return decide(stateAfter(facts, approvals));
}

const asks: Inspection = { claim: { mode: "exclusive" }, effect: "effect", ask: "it deletes files" };
const asked: Fact = { type: "approval-requested", callIds: ["c"] };
const said = (allow: boolean): Fact => ({ type: "approval-decided", callId: "c", allow });

test("[E10] a call that a person denied is never run, whatever policy the turn is resumed under", () => {
  for (const approvals of ["never", "all", "park", "ask"] as const)
    expect(decided(asks, [asked, said(false)], approvals)).toMatchObject({ do: "close-calls", as: "denied" });
});

test("[E10] a question that was parked gets the answer of the policy it is resumed under", () => {
  expect(decided(asks, [asked], "park")).toMatchObject({ do: "park" });
  expect(decided(asks, [asked], "ask")).toMatchObject({ do: "park" });
  expect(decided(asks, [asked], "all")).toMatchObject({ do: "run-segment" });
  expect(decided(asks, [asked], "never")).toMatchObject({ do: "close-calls", as: "denied" });
  for (const approvals of ["never", "all", "park", "ask"] as const)
    expect(decided(asks, [asked, said(true)], approvals)).toMatchObject({ do: "run-segment" });
});

test("[G3] a turn that was resumed too often begins nothing more, not even a call without effect", () => {
  const resumed = (times: number): Fact[] => Array.from({ length: times }, () => ({ type: "turn-resumed" }));
  const begun: Fact = { type: "segment-start", callIds: ["c"], effect: "pure" };
  for (const effect of ["pure", "idempotent", "effect"] satisfies Effect[]) {
    const inspection: Inspection = { claim: { mode: "shared" }, effect };
    expect(decided(inspection, [begun, ...resumed(4)])).toMatchObject({ do: "close-calls", as: "interrupted" });
    expect(decided(inspection, resumed(4))).toMatchObject({ do: "close-calls", as: "cancelled" });
  }
  expect(decided({ claim: { mode: "shared" }, effect: "pure" }, [begun, ...resumed(3)])).toMatchObject({
    do: "run-segment",
  });
});

const broke: Failure = {
  reason: "server_error",
  retryable: true,
  shouldCompress: false,
  shouldRotateCredential: false,
  shouldFallback: false,
  message: "it broke",
};
const shown: Fact = {
  type: "model-failure",
  failure: broke,
  partial: { text: "half", reasoning: "", droppedTools: [] },
};
const waiting: Fact = { type: "retry-scheduled", delayMs: 1, untilMs: 1 };
const stop: Fact = { type: "interrupt-requested", by: "user" };
const attempt = (n: number, replaces?: number): Fact => ({
  type: "attempt-start",
  attempt: n,
  iteration: 1,
  model: "m",
  ...(replaces !== undefined && { replaces }),
});

test("[B15] text that stands on screens between two attempts is kept when the user stops", () => {
  expect(decide(stateAfter([start, attempt(1), shown, waiting, stop]))).toEqual({
    do: "close-history",
    text: "half",
    partial: true,
  });
  expect(decide(stateAfter([start, attempt(1), shown, waiting, attempt(2), stop]))).toMatchObject({ text: "half" });
});

test("[C10] text that was shown is never retracted: what comes after goes on from it", () => {
  expect(decide(stateAfter([start, attempt(1), shown, waiting]))).toMatchObject({
    do: "call-model",
    replaces: undefined,
  });
  const thoughts: Fact = { ...shown, partial: { text: "", reasoning: "hm", droppedTools: [] } };
  expect(decide(stateAfter([start, attempt(1), thoughts, waiting]))).toMatchObject({ do: "call-model", replaces: 1 });
  const failed: Fact = { type: "model-failure", failure: broke };
  const refused: Fact = { type: "model-failure", failure: { ...broke, retryable: false } };
  for (const last of [failed, refused])
    expect(stateAfter([start, attempt(1), shown, waiting, attempt(2), last]).cut?.text).toBe("half");
  expect(decide(stateAfter([start, attempt(1), shown, waiting, attempt(2), refused]))).toEqual({
    do: "close-history",
    text: "half",
    partial: true,
  });
});

test("[B12] a runtime whose process died may have had effects: it is not asked again, and the end has a name", () => {
  const attempt: Fact = { type: "attempt-start", attempt: 1, iteration: 1, model: "other" };
  expect(decide(stateAfter([start], "never", "other"))).toEqual({
    do: "delegate-turn",
    runtime: "other",
    iteration: 1,
  });
  const after = stateAfter([start, attempt, { type: "turn-resumed" }], "never", "other");
  expect(decide(after)).toMatchObject({ do: "close-history", text: "[no answer: pending_tool_result]" });
});
