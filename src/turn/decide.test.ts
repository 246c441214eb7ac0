import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { userText } from "../protocol/message.ts";
import type { Effect, Inspection } from "../protocol/tool.ts";
import { apply } from "./apply.ts";
import { type Action, decide } from "./decide.ts";
import { type ApprovalPolicy, initialState, UNATTENDED_RETRY } from "./state.ts";

const start: Fact = {
  type: "turn-start",
  turnId: "t",
  seq: 0,
  message: userText("go"),
  model: "m",
  provider: "p",
  maxIterations: 5,
};

/** A turn whose model has asked for one call, and what followed. */
function decided(inspection: Inspection, then: readonly Fact[], approvals: ApprovalPolicy = "never"): Action {
  const state = initialState({ model: "m", provider: "p", maxIterations: 5, approvals, retry: UNATTENDED_RETRY }, []);
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
  for (const fact of facts) apply(state, fact);
  return decide(state);
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
