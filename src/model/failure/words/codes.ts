import type { FailureReason } from "../../../protocol/failure.ts";

/**
 * Machine-readable words of bodies, in lower case.
 * Sources: hermes.md §10.5; the types of Anthropic's errors; the codes of OpenAI, Azure, Groq and DashScope. Structured code
 * outranks status and text [ERR-03].
 */
export const CODES: ReadonlyMap<string, FailureReason> = new Map([
  ["insufficient_quota", "billing"],
  ["billing_not_active", "billing"],
  ["billing_hard_limit_reached", "billing"],
  ["billing_error", "billing"],
  ["payment_required", "billing"],
  ["insufficient_credits", "billing"],
  ["insufficient_balance", "billing"],
  ["no_usable_credits", "billing"],
  ["balance_depleted", "billing"],
  ["arrearage", "billing"],
  ["model_not_supported_on_free_tier", "billing"],
  ["model_not_found", "model_not_found"],
  ["model_not_available", "model_not_found"],
  ["invalid_model", "model_not_found"],
  ["model_decommissioned", "model_not_found"],
  ["context_length_exceeded", "context_overflow"],
  ["max_tokens_exceeded", "context_overflow"],
  ["invalid_encrypted_content", "invalid_encrypted_content"],
  ["content_filter", "content_policy_blocked"],
  ["content_policy_violation", "content_policy_blocked"],
  ["responsibleaipolicyviolation", "content_policy_blocked"],
  ["data_inspection_failed", "content_policy_blocked"],
  ["datainspectionfailed", "content_policy_blocked"],
  ["invalid_api_key", "auth"],
  ["invalidapikey", "auth"],
  ["authentication_error", "auth"],
  ["overloaded_error", "overloaded"],
  ["request_too_large", "payload_too_large"],
  ["timeout_error", "timeout"],
]);

/** A parameter is refused, where the status speaks of the request. */
export const VALIDATION_CODES: readonly string[] = ["unknown_parameter", "unsupported_parameter"];

/** Codes of limits: where a status speaks of limits as well, that and the text say which. */
export const LIMIT_CODES: ReadonlySet<string> = new Set([
  "rate_limit_exceeded",
  "rate_limit_error",
  "resource_exhausted",
  "throttled",
  "throttling",
  "throttling.ratequota",
  "throttling.burstrate",
  "throttling.allocationquota",
]);

/** Words that say little: they decide only when nothing else does. */
export const VAGUE_CODES: ReadonlyMap<string, FailureReason> = new Map([
  ["invalid_request_error", "format_error"],
  ["permission_error", "auth"],
  ["not_found_error", "model_not_found"],
  ["api_error", "server_error"],
  ["server_error", "server_error"],
  ["internal_error", "server_error"],
  ["internal_server_error", "server_error"],
]);
