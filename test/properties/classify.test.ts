import fc from "fast-check";
import { expect, test } from "vitest";
import type { Failure, FailureReason } from "../../src/protocol/failure.ts";
import { failureOfNetwork } from "../../src/model/failure/network.ts";
import { failureOfError, failureOfStatus } from "../../src/model/failure/refusal.ts";
import { BEFORE_CODES, BEHIND_CODES } from "../../src/model/failure/rules.ts";
import { failureOfThrown } from "../../src/model/failure/thrown.ts";
import { HOSTILE_PIECES } from "../support/hostile-pieces.ts";
import { workMs } from "../support/work.ts";

const AROUND = { where: "h:1", nowMs: 1_800_000_000_000 };

/** Pieces of what servers say, so that many rules have their turn. */
const WORDS = [...new Set([...BEFORE_CODES, ...BEHIND_CODES].flatMap(({ says = [] }) => says.flat()))];

const sentence = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.string(), fc.nat().map(String)), { maxLength: 6 })
  .map((words) => words.join(" "));

const KEYS = [
  "error",
  "message",
  "code",
  "type",
  "status",
  "metadata",
  "raw",
  "detail",
  "cause",
  "response",
  "body",
  "headers",
  "retry_after",
  "resets_at",
  "innererror",
  "status_code",
] as const;

/** Bodies as servers write them, and as none does. */
const body = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    sentence,
    fc.constantFrom<unknown>(400, 429, 503, null, true, -1, 1e300, "429"),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 4 }),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("value").map((value) => JSON.stringify(value) ?? ""),
  ),
})).value;

const sent = fc.record({
  provider: sentence,
  model: sentence,
  tokens: fc.nat(),
  messages: fc.nat(),
  window: fc.option(fc.nat(), { nil: undefined }),
});

const status = fc.oneof(fc.integer({ min: 300, max: 599 }), fc.integer());

const headers = fc.dictionary(
  fc.constantFrom("retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-reset-tokens", "x-should-retry"),
  fc.oneof(sentence, fc.constantFrom("1", "-1", "1e9", "Infinity", "true", "false", "6m0s")),
);

const REASONS: ReadonlySet<FailureReason> = new Set(
  [...BEFORE_CODES, ...BEHIND_CODES].map(({ gives }) => gives.reason),
);

/** What is wrong with a failure that nothing may be wrong with. */
function wrongIn({ reason, rule, message, retryAfterMs, contextLimit, outputRoom }: Failure): string[] {
  const numbers = { retryAfterMs, contextLimit, outputRoom };
  return [
    ...(REASONS.has(reason) ? [] : [`the reason ${reason}`]),
    ...(rule === undefined || /\s/u.test(rule) ? [`the rule ${rule}`] : []),
    ...(message.length > 300 || /\p{Cc}/u.test(message) ? [`the message ${message}`] : []),
    ...Object.entries(numbers).flatMap(([name, number]) =>
      number === undefined || (Number.isFinite(number) && number >= 0) ? [] : [`${name} is ${number}`],
    ),
  ];
}

test("[D1] whatever a server says, it is classified and told in one line", () => {
  fc.assert(
    fc.property(body, status, headers, sent, (value, code, given, request) => {
      const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      expect(wrongIn(failureOfStatus({ ...AROUND, status: code, headers: given, body: text, sent: request }))).toEqual(
        [],
      );
      expect(wrongIn(failureOfError(value, { ...AROUND, sent: request }))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("[D1] whatever is thrown, it is classified: no shape of it throws anew", () => {
  fc.assert(
    fc.property(fc.oneof(body, fc.anything()), sent, (error, request) => {
      expect(wrongIn(failureOfThrown(error, { ...AROUND, sent: request }))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  const loop: { cause?: unknown; message: string } = { message: "round" };
  loop.cause = loop;
  expect(wrongIn(failureOfThrown(loop, AROUND))).toEqual([]);
  const error = new Error("x");
  error.cause = error;
  expect(failureOfNetwork(error, "h:1", { begun: false }).reason).toBe("timeout");
});

/** Where a text has these words, numbers are looked for in it. */
const OPENING =
  "max_tokens available_tokens: maximum context length requested output tokens in the output, image exceeds";

test("[D1] no text takes longer than its length allows, and a megabyte is no work at all", () => {
  const time = (text: string): number =>
    workMs(() => {
      failureOfStatus({ ...AROUND, status: 400, headers: { "retry-after": text }, body: text });
      failureOfError({ error: { message: text, retry_after: text, metadata: { raw: text } } }, AROUND);
      failureOfThrown({ message: text }, AROUND);
    });
  // A pattern that tries all ways takes minutes for these; half a second is a very slow machine.
  for (const piece of HOSTILE_PIECES) {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    expect(time(text)).toBeLessThan(500);
    expect(time(`${OPENING} ${text}`)).toBeLessThan(500);
  }
});

const EVERY: Readonly<Record<Exclude<FailureReason, "auth_permanent">, true>> = {
  auth: true,
  billing: true,
  rate_limit: true,
  overloaded: true,
  server_error: true,
  timeout: true,
  context_overflow: true,
  payload_too_large: true,
  image_too_large: true,
  model_not_found: true,
  provider_policy_blocked: true,
  content_policy_blocked: true,
  format_error: true,
  invalid_encrypted_content: true,
  multimodal_tool_content_unsupported: true,
  thinking_signature: true,
  long_context_tier: true,
  oauth_long_context_beta_forbidden: true,
  llama_cpp_grammar_pattern: true,
  unknown: true,
};

test("[D2] each reason is given by some rule, but for that which the ladder alone can know", () => {
  expect([...REASONS].toSorted()).toEqual(Object.keys(EVERY).toSorted());
});

test("[D1] each rule has a name of its own, but where one meaning has many forms", () => {
  const names = [...BEFORE_CODES, ...BEHIND_CODES].map(({ gives }) => gives.rule);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  expect(new Set(twice)).toEqual(new Set(["refused-form"]));
});
