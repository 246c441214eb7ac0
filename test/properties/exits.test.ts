import assert from "node:assert/strict";
import { test } from "vitest";
import { exitCode, type ExitReason, type InterruptSource, type RefusalReason } from "../../src/protocol/exit.ts";
import type { FailureReason } from "../../src/protocol/failure.ts";
import { exitWords } from "../../src/words/exits.ts";
import { type Language, LANGUAGES, languageOf } from "../../src/words/language.ts";
import { refusalResult } from "../../src/session/result.ts";

/** Row J1, written down a second time; `Record` makes the compiler refuse a reason that is missing here. */
const CODES: Readonly<Record<ExitReason | RefusalReason, number | "failure" | "interrupt">> = {
  text_response: 0,
  partial_stream_recovery: 10,
  fallback_prior_turn_content: 10,
  budget_exhausted: 20,
  max_iterations_reached: 20,
  money_limit: 21,
  time_limit: 22,
  guardrail_halt: 23,
  context_overflow: 24,
  ollama_runtime_context_too_small: 24,
  parked_for_approval: 30,
  parked_for_answer: 30,
  tool_error: 31,
  internal_error: 70,
  error_near_max_iterations: 70,
  pending_tool_result: 70,
  store_unavailable: 73,
  empty_response_exhausted: 76,
  output_truncated: 76,
  thinking_exhausted: 76,
  invalid_tool_calls: 76,
  no_provider: 78,
  content_policy: 80,
  schema_unsatisfied: 81,
  interrupted_by_user: "interrupt",
  interrupted_during_api_call: "interrupt",
  all_retries_exhausted_no_response: "failure",
  request_rejected: "failure",
  usage_error: 2,
  session_not_found: 2,
  session_busy: 75,
  config_invalid: 78,
};
const BY_FAILURE: Readonly<Record<FailureReason, number>> = {
  auth: 77,
  auth_permanent: 77,
  billing: 79,
  rate_limit: 75,
  overloaded: 75,
  server_error: 75,
  timeout: 75,
  context_overflow: 75,
  payload_too_large: 75,
  image_too_large: 75,
  model_not_found: 78,
  provider_policy_blocked: 75,
  content_policy_blocked: 75,
  format_error: 76,
  invalid_encrypted_content: 75,
  multimodal_tool_content_unsupported: 75,
  thinking_signature: 75,
  long_context_tier: 75,
  oauth_long_context_beta_forbidden: 75,
  llama_cpp_grammar_pattern: 75,
  unknown: 75,
};
const BY_INTERRUPT: Readonly<Record<InterruptSource, number>> = { user: 130, terminate: 143, superseded: 130 };

const keys = <K extends string>(record: Readonly<Record<K, unknown>>): K[] => Object.keys(record) as K[];

test("[J1] every pair of exit reason and failure has exactly one exit code, the one of the row", () => {
  for (const reason of keys(CODES))
    for (const failure of [undefined, ...keys(BY_FAILURE)])
      for (const interruptedBy of [undefined, ...keys(BY_INTERRUPT)]) {
        const row = CODES[reason];
        const byFailure = failure === undefined ? 75 : BY_FAILURE[failure];
        const byInterrupt = interruptedBy === undefined ? 130 : BY_INTERRUPT[interruptedBy];
        const expected = row === "failure" ? byFailure : row === "interrupt" ? byInterrupt : row;
        const code = exitCode(reason, { failure: failure && { reason: failure }, interruptedBy });
        assert.equal(code, expected, `${reason} ${failure} ${interruptedBy}`);
      }
});

/** What helps is known to the surface that refused. */
const WITHOUT_STEPS: ReadonlySet<string> = new Set(["no_provider"]);

/** A sentence of each language. */
const SENTENCE: Readonly<Record<Language, RegExp>> = { en: /^[A-Z][ -~]*\.$/u, zh: /\p{Script=Han}.*。$/u };

test.each(LANGUAGES)(
  "[J1 J3 J7] every reason explains itself and offers a next step, in the one shape: %s",
  (language) => {
    const shape = Object.keys(refusalResult({ reason: "usage_error", message: "x" })).toSorted();
    for (const reason of keys(CODES)) {
      const result = refusalResult({ reason, message: "one sentence", sessionId: "s1" }, language);
      assert.deepEqual(Object.keys(result).toSorted(), shape);
      if (reason === "text_response") continue;
      assert.match(result.exit.explain ?? "", SENTENCE[language], reason);
      for (const { text } of result.exit.next) assert.match(text, SENTENCE[language], reason);
      assert.equal(result.exit.next.length > 0, !WITHOUT_STEPS.has(reason), reason);
      for (const { command } of result.exit.next) assert.doesNotMatch(command ?? "", /[{}]/, reason);
    }
  },
);

test.each(LANGUAGES)("[J3] an end that a failure brought is told by that failure: %s", (language) => {
  const hints = { shouldCompress: false, shouldRotateCredential: false, shouldFallback: false, message: "no" };
  const courses = keys(BY_FAILURE).flatMap((reason) => [
    { failure: { reason, ...hints, retryable: true }, tries: 3 },
    { failure: { reason, ...hints, retryable: false, status: 400 }, tries: 1 },
  ]);
  for (const course of courses) {
    const words = exitWords("request_rejected", course);
    assert.match(words?.explain[language] ?? "", SENTENCE[language], course.failure.reason);
    for (const { text } of words?.next ?? []) assert.match(text[language], SENTENCE[language], course.failure.reason);
  }
});

test("[J3] the language is that of the locale, and English where there is no catalogue for it", () => {
  const locales = ["zh_CN.UTF-8", "zh-Hans", "zh", "ZH", "zhuang", "de_DE.UTF-8", "C", "", undefined];
  assert.deepEqual(locales.map(languageOf), ["zh", "zh", "zh", "zh", "en", "en", "en", "en", "en"]);
});
