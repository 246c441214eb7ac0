import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const objectIn = (value: Json | undefined): JsonObject => (value !== undefined && isObject(value) ? value : {});
const textIn = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const errorOf = (input: Json): JsonObject => objectIn(objectIn(input)["error"]);
const bodyOf = (input: Json): JsonObject => objectIn(objectIn(errorOf(input)["body"])["error"]);
const statusOf = (input: Json): number | undefined => {
  const { status_code: code, status } = errorOf(input);
  return typeof code === "number" ? code : typeof status === "number" ? status : undefined;
};
const wordsOf = (input: Json): string =>
  `${textIn(errorOf(input)["message"])} ${textIn(bodyOf(input)["message"])}`.toLowerCase();
const codeOf = (input: Json): string => (textIn(bodyOf(input)["code"]) || textIn(bodyOf(input)["type"])).toLowerCase();

const hasStatus =
  (...statuses: (number | undefined)[]) =>
  (input: Json): boolean =>
    statuses.includes(statusOf(input));

export const hintsIn = (letters: string): Json => ({
  retryable: letters.includes("R"),
  compress: letters.includes("C"),
  rotate_credential: letters.includes("K"),
  fallback: letters.includes("F"),
});

/** R retry, C compress, K rotate the credential, F fall back. */
const classified =
  (reason: string, hints: string) =>
  (_input: Json, expect: Json): Json => ({
    ...objectIn(expect),
    reason,
    hints: hintsIn(hints),
  });

const ALLOWANCE = /usage[ _]limit|quota exceeded|exceeded your quota/u;
const COMES_BACK = /try again|retry|resets? (?:at|in)|wait|requests remaining|periodic|window/u;
const MONEY =
  /insufficient[ _](?:credits|quota|balance)|credit balance|credits (?:have been )?exhausted|no usable credits|top up your|payment required|hard limit|current quota|deactivated|plan does not include|out of funds|balance_depleted|free[ _]tier|spend limit/u;
const BILLING_CODE =
  /^(?:insufficient_quota|billing_not_active|payment_required|insufficient_credits|no_usable_credits|balance_depleted|model_not_supported_on_free_tier)$/u;

const readFirst = "quota is reported with statuses of keys, so the body is read before the status decides";

const CLASSIFICATION: readonly Omit<Deviation, "area">[] = [
  {
    applies: (input) => hasStatus(401, 403)(input) && ALLOWANCE.test(wordsOf(input)) && COMES_BACK.test(wordsOf(input)),
    ours: classified("rate_limit", "RKF"),
    reason: readFirst,
    spec: "bugs.json ERR-05",
  },
  {
    applies: (input) => hasStatus(401, 403)(input) && (ALLOWANCE.test(wordsOf(input)) || MONEY.test(wordsOf(input))),
    ours: classified("billing", "KF"),
    reason: readFirst,
    spec: "bugs.json ERR-05",
  },
  {
    applies: (input) => hasStatus(403)(input) && /rate[ _]limit|too many requests/u.test(wordsOf(input)),
    ours: classified("rate_limit", "RKF"),
    reason: readFirst,
    spec: "bugs.json ERR-05",
  },
  {
    applies: (input) => statusOf(input) !== undefined && BILLING_CODE.test(codeOf(input)),
    ours: classified("billing", "KF"),
    reason: "structured code outranks status and text",
    spec: "bugs.json ERR-03",
  },
  {
    applies: (input) =>
      statusOf(input) !== undefined && /^(?:rate_limit_exceeded|resource_exhausted|throttled)$/u.test(codeOf(input)),
    ours: classified("rate_limit", "RKF"),
    reason: "structured code outranks status and text",
    spec: "bugs.json ERR-03",
  },
  {
    applies: (input) =>
      statusOf(input) !== undefined && /^(?:context_length|max_tokens)_exceeded$/u.test(codeOf(input)),
    ours: classified("context_overflow", "RC"),
    reason: "structured code outranks status and text",
    spec: "bugs.json ERR-03",
  },
  {
    applies: (input) =>
      statusOf(input) !== undefined && /^(?:model_not_found|model_not_available|invalid_model)$/u.test(codeOf(input)),
    ours: classified("model_not_found", "F"),
    reason: "structured code outranks status and text",
    spec: "bugs.json ERR-03",
  },
  {
    applies: (input) => /^(?:invalid_api_key|authentication_error)$/u.test(codeOf(input)),
    ours: classified("auth", "KF"),
    reason: "structured code outranks status and text",
    spec: "bugs.json ERR-03",
  },
  {
    applies: hasStatus(408),
    ours: classified("timeout", "R"),
    reason: "a request that took too long may be asked again",
    spec: "nanobot.md §19.2",
  },
  {
    applies: hasStatus(409, 425),
    ours: classified("server_error", "R"),
    reason: "a conflict with what else goes on there passes",
    spec: "nanobot.md §19.2",
  },
  {
    applies: (input) => hasStatus(undefined)(input) && /rate[ _]limit|too many requests/u.test(wordsOf(input)),
    ours: classified("rate_limit", "RKF"),
    reason: "words that mean one thing win over those they contain",
    spec: "bugs.json ERR-02",
  },
  {
    applies: (input) =>
      hasStatus(undefined)(input) &&
      /un(?:known|supported)[ _]parameter|unrecognized request argument/u.test(wordsOf(input)),
    ours: classified("format_error", "F"),
    reason: "a parameter that is refused is refused again, and is no overflow where it names max_tokens",
    spec: "bugs.json STRM-18, ERR-14",
  },
  {
    applies: (input) => hasStatus(undefined)(input) && codeOf(input) === "invalid_request_error",
    ours: classified("format_error", "F"),
    reason: "an invalid request in a stream is not tried again",
    spec: "bugs.json STRM-18",
  },
  {
    applies: (input) =>
      hasStatus(400)(input) &&
      /(?:invalid|incorrect)[ _]api[ _-]key|api key (?:not valid|expired)/u.test(wordsOf(input)),
    ours: classified("auth", "KF"),
    reason: "servers exist that refuse a key with 400",
    spec: "features.md D1",
  },
  {
    applies: (input) =>
      hasStatus(400)(input) && /(?:request entity|payload) too large|error code: 413/u.test(wordsOf(input)),
    ours: classified("payload_too_large", "RC"),
    reason: "what is too large is made smaller, whatever the status is",
    spec: "bugs.json ERR-09",
  },
  {
    applies: hasStatus(422),
    ours: classified("context_overflow", "RC"),
    reason: "servers that check requests themselves tell an overflow so",
    spec: "bugs.json ERR-09",
  },
  {
    applies: hasStatus(422),
    ours: classified("model_not_found", "F"),
    reason: "servers that check requests themselves tell a missing model so",
    spec: "features.md D1",
  },
  {
    applies: (input) => hasStatus(429)(input) && wordsOf(input).includes("request too large for"),
    ours: classified("payload_too_large", "RC"),
    reason: "one request that is more than a minute allows never passes as it is",
    spec: "features.md D14",
  },
  {
    applies: (input) =>
      hasStatus(undefined)(input) &&
      /^(?:Type|Value|Range|Reference|Syntax|Assertion|Attribute|Key|Index|Name|Import|ModuleNotFound|NotImplemented|Memory|FileNotFound|Permission)Error$/u.test(
        textIn(errorOf(input)["type"]),
      ),
    ours: classified("unknown", ""),
    reason: "a local fault is nobody's else: neither a wait nor another model helps",
    spec: "features.md D1; hermes.md §9.2 step 21",
  },
  {
    applies: (input) =>
      hasStatus(undefined)(input) &&
      /no space left|too many open files|database is locked|read-only file/u.test(wordsOf(input)),
    ours: classified("unknown", ""),
    reason: "a local fault is nobody's else: neither a wait nor another model helps",
    spec: "features.md D1; hermes.md §9.2 step 21",
  },
];

const NANOBOT = "docs/decisions/0029; features.md D1, D2";
const clientStatus = (input: Json): number => Number(objectIn(input)["error_status_code"] ?? 0);

/** Codes, types and texts. */
const isOverflow = (input: Json): boolean =>
  clientStatus(input) === 413 ||
  /context[_ ]length|maximum context|too long|too many tokens/u.test(JSON.stringify(input).toLowerCase());

/** What both areas say of fallbacks. */
const FALLBACKS: readonly Omit<Deviation, "area">[] = [
  {
    applies: (input) => clientStatus(input) >= 400 && clientStatus(input) < 500 && clientStatus(input) !== 404,
    ours: (_input, expect) => ({ ...objectIn(expect), fallback_allowed: true }),
    reason: "what one model refuses another may take",
    spec: NANOBOT,
  },
  {
    applies: (input) => clientStatus(input) === 404 || clientStatus(input) === 0,
    ours: (_input, expect) => ({ ...objectIn(expect), fallback_allowed: true }),
    reason: "what nobody understands is waited for, and then another model is asked",
    spec: NANOBOT,
  },
  {
    applies: isOverflow,
    ours: (_input, expect) => ({ ...objectIn(expect), fallback_allowed: false }),
    reason: "an overflow is made shorter, not asked elsewhere",
    spec: NANOBOT,
  },
];

const RETRIES: readonly Omit<Deviation, "area">[] = [
  {
    applies: isOverflow,
    ours: () => ({ transient: true, billing: false, fallback_allowed: false }),
    reason: "an overflow is made shorter and asked again, not elsewhere",
    spec: NANOBOT,
  },
  {
    applies: (input) => clientStatus(input) === 400 || clientStatus(input) === 422,
    ours: () => ({ transient: false, billing: false, fallback_allowed: true }),
    reason: "a refused request is refused again, whatever numbers its text has, and another model may take it",
    spec: NANOBOT,
  },
  {
    applies: (input) => clientStatus(input) === 404 || clientStatus(input) === 0,
    ours: () => ({ transient: true, billing: false, fallback_allowed: true }),
    reason: "what nobody understands is waited for, and then another model is asked",
    spec: NANOBOT,
  },
  {
    applies: (input) => clientStatus(input) === 429,
    ours: () => ({ transient: true, billing: false, fallback_allowed: true }),
    reason: "a 429 is a limit that passes unless its code says that the account is empty",
    spec: "hermes.md §10.4",
  },
];

/** The error of the body, or the body. */
const payloadOf = (input: Json): JsonObject => {
  const body = objectIn(objectIn(input)["body"]);
  return isObject(body["error"] ?? null) ? objectIn(body["error"]) : body;
};

const isNumeric = (value: Json | undefined): boolean => typeof value === "number" || /^\d+$/u.test(textIn(value));

const PAST = "an instant that is over is no wait at all";

export const FAILURE_DEVIATIONS: readonly Deviation[] = [
  ...CLASSIFICATION.map((rule) => ({ area: "error_classification", ...rule })),
  ...["retry_classify", "fallback_classify"].flatMap((area) => FALLBACKS.map((rule) => ({ area, ...rule }))),
  ...RETRIES.map((rule) => ({ area: "retry_classify", ...rule })),
  {
    area: "retry_after_headers",
    applies: (_input, expect) => objectIn(expect)["seconds"] === 0.1,
    ours: () => ({ seconds: 0 }),
    reason: PAST,
    spec: "hermes.md §26.12",
  },
  {
    area: "retry_after",
    applies: (input) => /^\d+, ?\d+$/u.test(textIn(objectIn(input)["value"])),
    ours: (input) => ({ seconds: Number.parseFloat(textIn(objectIn(input)["value"])) }),
    reason: "of a header that was sent twice the first counts",
    spec: "bugs.json ERR-06",
  },
  {
    area: "error_context",
    applies: (input) => isNumeric(payloadOf(input)["code"]),
    ours: (input, expect) => {
      const { reason: _number, ...rest } = objectIn(expect);
      const { type } = payloadOf(input);
      return typeof type === "string" ? { ...rest, reason: type } : rest;
    },
    reason: "a number is the status once more, no word for machines",
    spec: "hermes.md §10.1",
  },
  {
    area: "error_context",
    applies: (input, expect) => Number(objectIn(expect)["reset_at"]) < Number(objectIn(input)["now"]),
    ours: (input, expect) => ({ ...objectIn(expect), reset_at: objectIn(input)["now"] ?? null }),
    reason: PAST,
    spec: "hermes.md §26.12",
  },
];
