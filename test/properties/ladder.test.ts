import { expect, test } from "vitest";
import fc from "fast-check";
import { PARAMETERS } from "../../src/protocol/adjustment.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Failure, FailureReason } from "../../src/protocol/failure.ts";
import { decide } from "../../src/turn/decide.ts";
import { MAX_COMPACTIONS } from "../../src/turn/recovery/compact-and-retry.ts";
import { MAX_ALIKE, MAX_ATTEMPTS, MAX_OVERLOADED, MAX_PATIENT } from "../../src/turn/recovery/wait-and-retry.ts";
import type { RetryPolicy, TurnState } from "../../src/turn/state.ts";
import {
  afterTools,
  ask,
  ATTENDED,
  begun,
  follow,
  REPLIES,
  REQUESTS,
  REQUESTS_OVERLOADED,
  REQUESTS_WITH_KEYS,
  requestsOf,
} from "./ladder-climb.ts";
import { CHAIN_OF_NONE, KEY_TROUBLES, OVERLOADS, REFUSALS, worstOf } from "./ladder-search.ts";

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
  mode: fc.constant("standard"),
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
  for (let step = 0; step < 3 * MAX_PATIENT; step++) {
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
    const state = begun({ mode: "standard", baseMs: 1, maxMs: 1, maxWaitMs: 1 }, 3);
    const requests = Math.min(shrinks, 3) + 1;
    const end = { requests, waited: [], exit: "context_overflow" };
    expect(climb(state, forever(failed(tooLarge)), () => left-- > 0)).toEqual(end);
    expect(state.budget.used).toBe(1);
  }
});

test("[D4] a failure that asks for a longer wait than allowed ends the turn at once", () => {
  const policy: RetryPolicy = { mode: "standard", baseMs: 1, maxMs: 1, maxWaitMs: 30_000 };
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
/** Reasons that a request is repaired for. */
const REPAIRED: readonly FailureReason[] = [
  "image_too_large",
  "multimodal_tool_content_unsupported",
  "thinking_signature",
  "invalid_encrypted_content",
  "oauth_long_context_beta_forbidden",
  "long_context_tier",
];
const brokenOff: fc.Arbitrary<Fact> = fc
  .tuple(
    failure,
    fc.option(partial, { nil: undefined }),
    fc.constantFrom<Partial<Failure>>(
      {},
      { refusesStreaming: true },
      { refusesToolChoice: true },
      { refusesPictures: true },
      { refusesThesePictures: true },
      { refusesHistory: true },
      { refusesSchemaWords: true },
      { refusesTool: "bad" },
      { outputRoom: 100 },
      { overload: "anthropic" },
      ...PARAMETERS.map((refusesParameter) => ({ refusesParameter })),
      ...REPAIRED.map((reason) => ({ reason })),
    ),
  )
  .map(([one, it, refuses]) => ({
    type: "model-failure",
    failure: {
      ...one,
      retryAfterMs: 0,
      ...refuses,
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
      expect(climb(afterTools(rounds, 0, ATTENDED), answers).requests).toBeLessThanOrEqual(REQUESTS_OVERLOADED);
    }),
    { numRuns: 5_000 },
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

test("[D5] an overload that lasts is waited for within the bound, whatever comes between", () => {
  const { requests, situations } = worstOf(afterTools(1, 0, ATTENDED), OVERLOADS);
  expect(requests).toBeLessThanOrEqual(REQUESTS_OVERLOADED);
  expect(requests).toBeGreaterThan(REPLIES * (MAX_OVERLOADED - 1));
  expect(situations).toBeGreaterThan(1_000);
});

const PATIENT: RetryPolicy = { mode: "persistent", baseMs: 2_000, maxMs: 60_000, maxWaitMs: 30_000 };
const down = (at: number, retryAfterMs?: number, message = `down at ${"abcdefghij".charAt(at)}`): Fact => ({
  type: "model-failure",
  failure: {
    reason: "server_error",
    message,
    retryable: true,
    shouldCompress: false,
    shouldRotateCredential: false,
    shouldFallback: false,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  },
});

test("[D15] a persistent turn waits for what passes until the same came ten times in a row, at most a minute each time", () => {
  const { requests, waited, exit } = climb(begun(PATIENT, 3), forever(down(0)));
  expect({ requests, exit }).toEqual({ requests: MAX_ALIKE, exit: "all_retries_exhausted_no_response" });
  expect(waited.map((ms) => ms / 1_000)).toEqual([3, 6, 12, 24, 48, 60, 60, 60, 60]);
  expect(climb(begun(PATIENT, 3), forever(down(0, 3_600_000))).waited).toEqual(Array(9).fill(60_000));
  fc.assert(
    fc.property(fc.array(fc.nat(1), { minLength: 1, maxLength: 60 }), (course) => {
      const answers = [...course.map((at) => down(at)), ...Array.from({ length: MAX_ALIKE }, () => down(9))];
      const alike = course.findIndex((_, at) => at >= 9 && new Set(course.slice(at - 9, at + 1)).size === 1);
      const ended = climb(begun(PATIENT, 3), answers.values());
      expect(ended.requests).toBe(alike < 0 ? answers.length : alike + 1);
      expect(ended.waited.every((ms) => ms <= 60_000)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("[D15] failures that take turns end a persistent turn, too", () => {
  function* changing(): Generator<Fact> {
    for (let at = 0; ; at++) yield down(at % 2);
  }
  const { requests, exit } = climb(begun(PATIENT, 3), changing());
  expect({ requests, exit }).toEqual({ requests: MAX_PATIENT, exit: "all_retries_exhausted_no_response" });
});

test("[D15] the numbers and ids that a server puts into its words make no other failure of it", () => {
  let at = 0;
  function* busy(): Generator<Fact> {
    for (;;) yield down(0, undefined, `Used ${++at} of 30000; try again in ${at / 7}s (request id req_${at}abc)`);
  }
  const { requests, exit } = climb(begun(PATIENT, 3), busy());
  expect({ requests, exit }).toEqual({ requests: MAX_ALIKE, exit: "all_retries_exhausted_no_response" });
});

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
