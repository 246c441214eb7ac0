import type { Failure, FailureReason } from "../../protocol/failure.ts";
import { reasonInWords } from "./known-words.ts";

/** What is known about a refused or broken call, in the words of the server. */
export interface Evidence {
  readonly status?: number | undefined;
  /** The machine-readable code or type in the body. */
  readonly code: string;
  /** All texts of the body. */
  readonly text: string;
}

export type Verdict = Pick<
  Failure,
  "reason" | "retryable" | "shouldCompress" | "shouldRotateCredential" | "shouldFallback"
>;

/** R retry, C compress, K rotate the credential, F fall back to another model (hermes.md §10.2). */
const HINTS: Readonly<Record<FailureReason, string>> = {
  auth: "KF",
  auth_permanent: "F",
  billing: "KF",
  rate_limit: "RKF",
  overloaded: "R",
  server_error: "R",
  timeout: "R",
  context_overflow: "RC",
  payload_too_large: "RC",
  image_too_large: "R",
  model_not_found: "F",
  provider_policy_blocked: "",
  content_policy_blocked: "F",
  format_error: "F",
  invalid_encrypted_content: "R",
  multimodal_tool_content_unsupported: "R",
  thinking_signature: "R",
  long_context_tier: "RC",
  oauth_long_context_beta_forbidden: "R",
  llama_cpp_grammar_pattern: "R",
  unknown: "R",
};

export function verdict(reason: FailureReason, hints: string = HINTS[reason]): Verdict {
  return {
    reason,
    retryable: hints.includes("R"),
    shouldCompress: hints.includes("C"),
    shouldRotateCredential: hints.includes("K"),
    shouldFallback: hints.includes("F"),
  };
}

/** Lower-case substrings of what servers write (hermes.md §10.7), the clearest of each family. */
const TEXT = {
  contentPolicy: [
    "content_filter",
    "responsibleaipolicyviolation",
    "violates our usage policies",
    "violates openai's usage policies",
    "your request was flagged by",
    "flagged for possible cybersecurity risk",
  ],
  billing: [
    "insufficient_quota",
    "insufficient credits",
    "insufficient balance",
    "credit balance",
    "exceeded your current quota",
    "payment required",
    "billing hard limit",
    "account is deactivated",
    "spending limit",
    "spend limit",
    "out of funds",
  ],
  usageLimit: ["usage limit", "key limit exceeded", "limit exceeded"],
  transient: ["try again", "retry", "resets at", "resets in", "reset in", "window"],
  rateLimit: [
    "rate limit",
    "rate_limit",
    "too many requests",
    "throttled",
    "requests per minute",
    "tokens per minute",
    "resource_exhausted",
    "too many concurrent requests",
  ],
  overloaded: ["overloaded", "at capacity", "over capacity"],
  payload: ["request entity too large", "payload too large", "total message size"],
  overflow: [
    "context_length_exceeded",
    "context length",
    "context size",
    "context window",
    "context_window",
    "context overflow",
    "maximum context",
    "context_overflow",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "reduce the length",
    "max_model_len",
    "maximum number of tokens",
    "input token count",
    "range of input length",
    "上下文",
  ],
  modelNotFound: [
    "model_not_found",
    "model not found",
    "is not a valid model",
    "invalid model",
    "no such model",
    "unknown model",
    "does not exist",
    "unsupported model",
  ],
  validation: [
    "unknown parameter",
    "unsupported parameter",
    "unrecognized request argument",
    "unknown_parameter",
    "unsupported_parameter",
  ],
  providerPolicy: [
    "no endpoints available matching your guardrail",
    "no endpoints available matching your data policy",
    "no endpoints found matching your data policy",
  ],
  auth: ["invalid api key", "invalid_api_key", "incorrect api key", "authentication", "unauthorized", "invalid token"],
  timeout: ["timed out", "deadline exceeded"],
} as const;

type Family = keyof typeof TEXT;

/** Machine-readable words outrank the status that carries them (hermes.md §10.5). */
const CODES: ReadonlyMap<string, FailureReason> = new Map([
  ["insufficient_quota", "billing"],
  ["billing_not_active", "billing"],
  ["payment_required", "billing"],
  ["insufficient_credits", "billing"],
  ["rate_limit_exceeded", "rate_limit"],
  ["rate_limit_error", "rate_limit"],
  ["resource_exhausted", "rate_limit"],
  ["throttled", "rate_limit"],
  ["model_not_found", "model_not_found"],
  ["model_not_available", "model_not_found"],
  ["invalid_model", "model_not_found"],
  ["context_length_exceeded", "context_overflow"],
  ["content_filter", "content_policy_blocked"],
  ["invalid_api_key", "auth"],
  ["authentication_error", "auth"],
  ["overloaded_error", "overloaded"],
  ["request_too_large", "payload_too_large"],
  ["billing_error", "billing"],
  ["timeout_error", "timeout"],
  ["unknown_parameter", "format_error"],
  ["unsupported_parameter", "format_error"],
]);

/** Words that say little: they decide only when no text says more. */
const VAGUE_CODES: ReadonlyMap<string, FailureReason> = new Map([
  ["invalid_request_error", "format_error"],
  ["permission_error", "auth"],
  ["not_found_error", "model_not_found"],
  ["api_error", "server_error"],
  ["server_error", "server_error"],
  ["internal_error", "server_error"],
]);

const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [401, verdict("auth")],
  [402, verdict("billing")],
  [403, verdict("auth", "F")],
  [404, verdict("unknown")],
  [408, verdict("timeout")],
  [413, verdict("payload_too_large")],
  [429, verdict("rate_limit")],
  [500, verdict("server_error")],
  [502, verdict("server_error")],
  [503, verdict("overloaded")],
  [529, verdict("overloaded")],
]);

/** Families in the order they are asked; specific ones come before those whose words they contain. */
const BY_TEXT: readonly (readonly [Family, FailureReason])[] = [
  ["payload", "payload_too_large"],
  ["billing", "billing"],
  ["validation", "format_error"],
  ["rateLimit", "rate_limit"],
  ["overflow", "context_overflow"],
  ["overloaded", "overloaded"],
  ["providerPolicy", "provider_policy_blocked"],
  ["modelNotFound", "model_not_found"],
  ["auth", "auth"],
  ["timeout", "timeout"],
];

/** Which families a status leaves room for; a status that is not here is the whole answer. */
const FAMILIES_OF: ReadonlyMap<number, readonly Family[]> = new Map([
  [400, ["payload", "validation", "overflow", "providerPolicy", "modelNotFound", "rateLimit", "billing"]],
  [401, ["billing"]],
  [402, []],
  [403, ["billing"]],
  [404, ["billing", "providerPolicy", "modelNotFound"]],
  [413, []],
  [422, ["validation", "overflow", "modelNotFound"]],
  [429, ["billing", "overloaded"]],
  [500, ["validation", "overflow"]],
  [502, ["validation", "overflow"]],
  [503, ["overflow"]],
]);

/** Why a call failed, from all that the server said: codes, then the body's words, then the status. */
export function classify(evidence: Evidence): Verdict {
  const { status } = evidence;
  const text = `${evidence.code} ${evidence.text}`.toLowerCase();
  if (has(text, "contentPolicy")) return verdict("content_policy_blocked");
  const known = reasonInWords(status, text);
  if (known !== undefined) return verdict(known);
  const coded = CODES.get(evidence.code.toLowerCase());
  if (coded !== undefined) return verdict(coded);
  if (has(text, "usageLimit") && (status === undefined || USAGE_STATUS.has(status))) return usageLimit(text);
  const families = status === undefined ? undefined : (FAMILIES_OF.get(status) ?? []);
  const found = BY_TEXT.find(([family]) => (families?.includes(family) ?? true) && has(text, family));
  if (found !== undefined) return verdict(found[1]);
  return status === undefined ? vague(evidence.code) : ofStatus(status);
}

const has = (text: string, family: Family): boolean => TEXT[family].some((words) => text.includes(words));

/** Quota is reported with many statuses; a hint when it resets tells a pause from an empty account. */
const USAGE_STATUS: ReadonlySet<number> = new Set([401, 402, 403, 429]);
const usageLimit = (text: string): Verdict =>
  verdict(
    has(text, "transient") && !has(text, "billing") ? "rate_limit" : has(text, "rateLimit") ? "rate_limit" : "billing",
  );

const vague = (code: string): Verdict => verdict(VAGUE_CODES.get(code.toLowerCase()) ?? "unknown");

function ofStatus(status: number): Verdict {
  const found = BY_STATUS.get(status);
  if (found !== undefined) return found;
  return verdict(status >= 500 ? "server_error" : "format_error");
}

/** A server that does not know the parameter that forbids calls. */
export const refusesToolChoice = (text: string): boolean =>
  /\btool_?choice\b/i.test(text) &&
  /not (?:currently )?(?:supported|permitted|allowed)|unsupported|not support\b|un(?:known|expected|recogni[sz]ed)|extra|invalid/i.test(
    text,
  );

/** A server that says it cannot stream (hermes.md §6.3). */
export const refusesStreaming = (text: string): boolean =>
  /\bstream(?:ing|ed)?\b/i.test(text) &&
  /not (?:currently )?supported|unsupported|not support\b|cannot stream|must be verified to stream/i.test(text);
