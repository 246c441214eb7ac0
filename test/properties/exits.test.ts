import assert from "node:assert/strict";
import { test } from "vitest";
import { exitCode } from "../../src/protocol/exit.ts";
import { exitWords } from "../../src/words/exits.ts";
import { type Language, LANGUAGES, languageOf } from "../../src/words/language.ts";
import { refusalResult } from "../../src/session/result.ts";
import { BY_FAILURE, BY_INTERRUPT, CODES } from "./exit-table.ts";

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
