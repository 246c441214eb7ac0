import { expect, test } from "vitest";
import fc from "fast-check";
import type { Failure, FailureReason } from "../../src/protocol/failure.ts";
import { userText } from "../../src/protocol/message.ts";
import { apply } from "../../src/turn/apply.ts";
import { decide } from "../../src/turn/decide.ts";
import { MAX_ATTEMPTS } from "../../src/turn/recovery/wait-and-retry.ts";
import { initialState, type RetryPolicy, type TurnState } from "../../src/turn/state.ts";

const failure: fc.Arbitrary<Failure> = fc.record(
  {
    reason: fc.constantFrom<FailureReason>(
      "rate_limit",
      "server_error",
      "timeout",
      "auth",
      "context_overflow",
      "unknown",
    ),
    message: fc.constant("it failed"),
    retryable: fc.boolean(),
    shouldCompress: fc.boolean(),
    shouldRotateCredential: fc.boolean(),
    shouldFallback: fc.boolean(),
    retryAfterMs: fc.integer({ min: 0, max: 60_000 }),
  },
  { requiredKeys: ["reason", "message", "retryable", "shouldCompress", "shouldRotateCredential", "shouldFallback"] },
);
const retry: fc.Arbitrary<RetryPolicy> = fc.record({
  baseMs: fc.integer({ min: 0, max: 5_000 }),
  maxMs: fc.integer({ min: 0, max: 60_000 }),
  maxWaitMs: fc.integer({ min: 0, max: 30_000 }),
});

function begun(policy: RetryPolicy, maxIterations: number): TurnState {
  const setup = { model: "m", provider: "p", maxIterations, approvals: "never", retry: policy } as const;
  const state = initialState(setup, []);
  apply(state, {
    type: "turn-start",
    turnId: "t",
    seq: 0,
    message: userText("go"),
    model: "m",
    provider: "p",
    maxIterations,
  });
  return state;
}

/** Answers every request with the next failure until the turn ends; counts requests and adds up the waits. */
function failUntilTheEnd(
  state: TurnState,
  failures: Iterator<Failure>,
): { requests: number; waited: number[]; exit: string } {
  const waited: number[] = [];
  let requests = 0;
  for (let step = 0; step < 1_000; step++) {
    const action = decide(state);
    switch (action.do) {
      case "call-model":
        requests++;
        apply(state, {
          type: "attempt-start",
          attempt: state.attempt + 1,
          iteration: action.iteration,
          model: "m",
          ...(action.grace && { grace: true }),
        });
        apply(state, { type: "model-failure", failure: failures.next().value as Failure });
        break;
      case "wait-and-retry":
        waited.push(action.delayMs + action.jitterMs);
        apply(state, { type: "retry-scheduled", delayMs: action.delayMs, untilMs: 0 });
        break;
      case "close-history":
        apply(state, {
          type: "closing-message",
          seq: state.history.length,
          message: { role: "assistant", parts: [{ type: "text", text: action.text }] },
        });
        break;
      case "end-turn":
        return { requests, waited, exit: action.outcome.exit };
      default:
        throw new Error(`unexpected ${action.do}`);
    }
  }
  throw new Error("the ladder does not end");
}

test("[D3 D4] whatever keeps failing, the ladder gives up within 3 attempts, and no wait is longer than allowed", () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(failure),
      retry,
      fc.integer({ min: 1, max: 3 }),
      (failures, policy, maxIterations) => {
        const { requests, waited, exit } = failUntilTheEnd(begun(policy, maxIterations), failures);
        expect(requests).toBeLessThanOrEqual(MAX_ATTEMPTS);
        // Half of the wait may be added at random (row D4).
        for (const wait of waited) expect(wait).toBeLessThanOrEqual(policy.maxWaitMs * 1.5);
        expect(["all_retries_exhausted_no_response", "request_rejected", "context_overflow"]).toContain(exit);
      },
    ),
    { numRuns: 500 },
  );
});

test("[D4] a failure that asks for a longer wait than allowed ends the turn at once", () => {
  const policy = { baseMs: 1, maxMs: 1, maxWaitMs: 30_000 };
  const asks = (retryAfterMs: number): Failure => ({
    reason: "rate_limit",
    message: "slow down",
    retryable: true,
    shouldCompress: false,
    shouldRotateCredential: false,
    shouldFallback: false,
    retryAfterMs,
  });
  const forever = (one: Failure): Iterator<Failure> => ({ next: () => ({ done: false, value: one }) });
  expect(failUntilTheEnd(begun(policy, 3), forever(asks(30_001))).requests).toBe(1);
  expect(failUntilTheEnd(begun(policy, 3), forever(asks(30_000)))).toMatchObject({
    requests: 3,
    waited: [30_000, 30_000],
  });
});
