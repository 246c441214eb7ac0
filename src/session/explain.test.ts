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
