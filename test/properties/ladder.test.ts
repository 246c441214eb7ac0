import { expect, test } from "vitest";
import fc from "fast-check";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Failure, FailureReason } from "../../src/protocol/failure.ts";
import { decide } from "../../src/turn/decide.ts";
import { MAX_COMPACTIONS } from "../../src/turn/recovery/compact-and-retry.ts";
import { MAX_ATTEMPTS } from "../../src/turn/recovery/wait-and-retry.ts";
import type { RetryPolicy, TurnState } from "../../src/turn/state.ts";
import { afterTools, ask, begun, follow, REPLIES, REQUESTS, REQUESTS_WITH_KEYS, requestsOf } from "./ladder-climb.ts";
import { CHAIN_OF_NONE, KEY_TROUBLES, REFUSALS, worstOf } from "./ladder-search.ts";

const failure: fc.Arbitrary<Failure> = fc.record(
  {
    reason: fc.constantFrom<FailureReason>(
      "rate_limit",
      "server_error",
      "timeout",
      "auth",
      "context_overflow",
      "unknown",
      "billing",
      "overloaded",
      "content_policy_blocked",
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

interface Ladder {
  readonly requests: number;
  readonly waited: readonly number[];
  readonly exit: string;
}

/** Answers every request with the next fact until the turn ends; counts requests and adds up the waits. */
function climb(state: TurnState, answers: Iterator<Fact>, canShrink: () => boolean = () => true): Ladder {
  const waited: number[] = [];
  let requests = 0;
  for (let step = 0; step < 1_000; step++) {
    const action = decide(state);
    if (action.do === "call-model") {
      requests++;
      ask(state, action, answers.next().value as Fact);
      continue;
    }
    if (action.do === "wait-and-retry") waited.push(action.delayMs + action.jitterMs);
    if (action.do === "end-turn") return { requests, waited, exit: action.outcome.exit };
    follow(state, action, action.do === "compact" && canShrink());
  }
  throw new Error("the ladder does not end");
}

const failed = (one: Failure): Fact => ({ type: "model-failure", failure: one });

function* forever(one: Fact): Generator<Fact> {
  for (;;) yield one;
}

test("[D3 D4 D14] whatever keeps failing, the ladder gives up within 3 attempts and 3 compactions, and no wait is longer than allowed", () => {
  fc.assert(
    fc.property(fc.infiniteStream(failure), retry, fc.nat(4), (failures, policy, shrinks) => {
      let left = shrinks;
      const { requests, waited, exit } = climb(begun(policy, 3), failures.map(failed), () => left-- > 0);
      expect(requests).toBeLessThanOrEqual(MAX_ATTEMPTS + MAX_COMPACTIONS);
      // Half of the wait may be added at random (row D4).
      for (const wait of waited) expect(wait).toBeLessThanOrEqual(policy.maxWaitMs * 1.5);
      expect(["all_retries_exhausted_no_response", "request_rejected", "context_overflow", "content_policy"]).toContain(
        exit,
      );
    }),
    { numRuns: 500 },
  );
});

test("[D14] a request that stays too large is compacted three times, or as often as that helps, and never waits", () => {
  const tooLarge: Failure = {
    reason: "context_overflow",
    message: "too long",
    retryable: true,
    shouldCompress: true,
    shouldRotateCredential: false,
    shouldFallback: false,
  };
  for (const shrinks of [0, 1, 2, 3, 9]) {
    let left = shrinks;
    const state = begun({ baseMs: 1, maxMs: 1, maxWaitMs: 1 }, 3);
    const requests = Math.min(shrinks, 3) + 1;
    const end = { requests, waited: [], exit: "context_overflow" };
    expect(climb(state, forever(failed(tooLarge)), () => left-- > 0)).toEqual(end);
    expect(state.budget.used).toBe(1);
  }
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
  expect(climb(begun(policy, 3), forever(failed(asks(30_001)))).requests).toBe(1);
  expect(climb(begun(policy, 3), forever(failed(asks(30_000))))).toMatchObject({
    requests: 3,
    waited: [30_000, 30_000],
  });
});

const partial = fc.record({
  text: fc.constantFrom("", "some "),
  reasoning: fc.constantFrom("", "hm"),
  droppedTools: fc.constantFrom([], ["write"]),
});
const noReply: fc.Arbitrary<Fact> = fc.oneof(
  fc.constantFrom<Fact>({ type: "reply-empty" }, { type: "reply-empty", reasoning: { type: "reasoning", text: "hm" } }),
  partial.map((it) => ({ type: "reply-cut", partial: it }) as const),
);
const brokenOff: fc.Arbitrary<Fact> = fc
  .tuple(
    failure,
    fc.option(partial, { nil: undefined }),
    fc.constantFrom("", "streaming", "tool choice", "pictures", "these pictures", "history", "output"),
  )
  .map(([one, it, refuses]) => ({
    type: "model-failure",
    failure: {
      ...one,
      retryAfterMs: 0,
      ...(refuses === "streaming" && { refusesStreaming: true as const }),
      ...(refuses === "tool choice" && { refusesToolChoice: true as const }),
      ...(refuses === "pictures" && { refusesPictures: true as const }),
      ...(refuses === "these pictures" && { refusesThesePictures: true as const }),
      ...(refuses === "history" && { refusesHistory: true as const }),
      ...(refuses === "output" && { outputRoom: 100 }),
    },
    ...(it && { partial: it }),
  }));

test("[C8 C9] whatever empty and cut replies come, the turn ends within ten requests", () => {
  expect(REPLIES).toBe(10);
  fc.assert(
    fc.property(fc.infiniteStream(noReply), fc.nat(3), (answers, rounds) => {
      const { requests, waited } = climb(afterTools(rounds), answers);
      expect(requests).toBeLessThanOrEqual(REPLIES);
      expect(waited).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("[C8 C9 C10 C18 D3] whatever empty, cut, broken and failed replies come, the turn ends within a computed bound", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.oneof(noReply, brokenOff)), fc.nat(3), (answers, rounds) => {
      expect(climb(afterTools(rounds), answers).requests).toBeLessThanOrEqual(REQUESTS);
    }),
    { numRuns: 2_000 },
  );
});

test("[C9] the rungs are taken in the order of the row, each as often as it says", () => {
  const thoughts: Fact = { type: "reply-empty", reasoning: { type: "reasoning", text: "hm" } };
  const of = (rounds: number, answer: Fact): number => climb(afterTools(rounds), forever(answer)).requests;
  expect([of(0, { type: "reply-empty" }), of(1, { type: "reply-empty" })]).toEqual([4, 5]);
  expect([of(0, thoughts), of(1, thoughts)]).toEqual([6, 7]);
});

test.each(Object.entries(REFUSALS))(
  "[C8 C9 C10 C18 D3 D14] the worst model there can be stays within the bound, also one whose server says: %s",
  (_refusal, answers) => {
    const { requests, situations } = worstOf(afterTools(1), answers);
    expect(requests).toBeLessThanOrEqual(REQUESTS);
    // Something was searched, and the bound is no idle one.
    expect(situations).toBeGreaterThan(1_000);
    expect(requests).toBeGreaterThan(REPLIES * (MAX_ATTEMPTS - 1));
  },
);

test("[D6] [D7] [CRED-04] keys are given up and renewed within the bound, whatever the pool says of them each time", () => {
  const { requests, situations } = worstOf(afterTools(1), KEY_TROUBLES);
  expect(requests).toBeLessThanOrEqual(REQUESTS_WITH_KEYS);
  expect(situations).toBeGreaterThan(1_000);
  expect(requests).toBeGreaterThan(REPLIES * (MAX_ATTEMPTS - 1));
});

test("[D9] [D11] with a chain of models, whatever comes, the turn ends within the same bound for each of them", () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.oneof(noReply, brokenOff)), fc.nat(2), fc.nat(4), (answers, rounds, fallbacks) => {
      expect(climb(afterTools(rounds, fallbacks), answers).requests).toBeLessThanOrEqual(requestsOf(fallbacks));
    }),
    { numRuns: 5_000 },
  );
});

test.each(Object.entries({ nothing: CHAIN_OF_NONE, "too large": REFUSALS["too large"] ?? [] }))(
  "[D9] the worst two models there can be stay within the bound of both: %s",
  (_kind, answers) => {
    const { requests, situations } = worstOf(afterTools(1, 1), answers);
    expect(requests).toBeLessThanOrEqual(requestsOf(1));
    expect(requests).toBeGreaterThan(REPLIES * (MAX_ATTEMPTS - 1));
    expect(situations).toBeGreaterThan(1_000);
  },
);
