import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { userText } from "../protocol/message.ts";
import { explainTurn } from "./explain.ts";

const explained = (...facts: Fact[]): string =>
  explainTurn({ turnId: "t", sessionId: "s", facts: facts.map((fact) => ({ atMs: 0, fact })) }, 12_000).join("\n");

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
  expect(explained(start, attempt)).toContain(`If its process died, ${LOST}.`);
  expect(explained(start, attempt)).toContain("It has waited 12 s for m to answer (attempt 1)");
  expect(explained(start, attempt, empty, { type: "turn-resumed" })).not.toContain(LOST);
});
