import type { Failure } from "../../protocol/failure.ts";
import type { JsonObject } from "../../protocol/json.ts";
import * as shared from "../failure/refusal.ts";
import { type Verdict, verdict } from "../failure/verdict.ts";
import { objectOf, objectsIn, parseOrText, string } from "../reading.ts";

/** Why a request was refused, in the words of google.rpc.Status. */
export function failureOfStatus(refusal: shared.Refusal): Failure {
  return refined(shared.failureOfStatus(refusal), errorIn(parseOrText(refusal.body)));
}

export function failureOfError(error: unknown, telling: shared.Telling): Failure {
  return refined(shared.failureOfError(error, telling), errorIn(error));
}

const errorIn = (body: unknown): JsonObject => objectOf(objectOf(Array.isArray(body) ? body[0] : body)["error"]);

const ADVICE =
  "The key is one of the free tier, which allows little: wait, enable billing for its project in Google AI Studio, or use another model.";

function refined(failure: Failure, error: JsonObject): Failure {
  const text = JSON.stringify(error);
  const better = verdictOf(error, text);
  const wait = retryDelay(objectsIn(error["details"]));
  const isQuota = (better ?? failure).reason === "rate_limit" || (better ?? failure).reason === "billing";
  return {
    ...failure,
    ...better,
    ...(failure.retryAfterMs === undefined && wait !== undefined && { retryAfterMs: wait }),
    ...(isQuota && isFreeTier(text) && { message: `${failure.message} ${ADVICE}` }),
  };
}

/** hermes.md §22: quotas of the free tier say so in their names. */
export const isFreeTier = (text: string): boolean => /free[_ -]?tier/i.test(text);

function verdictOf(error: JsonObject, text: string): Verdict | undefined {
  if (/API_KEY_INVALID|API key (?:not valid|expired)|API Key not found/i.test(text))
    return verdict("auth", "gemini-key");
  if (/thought.?signature/i.test(text)) return verdict("thinking_signature", "gemini-signature");
  switch (error["status"]) {
    case "RESOURCE_EXHAUSTED":
      return quotaVerdict(text);
    case "NOT_FOUND":
      return verdict("model_not_found", "gemini-not-found");
    case "PERMISSION_DENIED":
      return /billing/i.test(text) ? verdict("billing", "gemini-billing") : undefined;
    case "UNAUTHENTICATED":
      return verdict("auth", "gemini-unauthenticated");
    case "UNAVAILABLE":
      return verdict("overloaded", "gemini-unavailable");
    case "DEADLINE_EXCEEDED":
      return verdict("timeout", "gemini-deadline");
    default:
      return undefined;
  }
}

/** A quota of nothing never fills again, and that of a day not while anybody waits. */
function quotaVerdict(text: string): Verdict {
  if (/limit: 0\b/.test(text)) return verdict("billing", "gemini-no-quota");
  return /per_?day/i.test(text)
    ? verdict("rate_limit", "gemini-quota-of-a-day", "KF")
    : verdict("rate_limit", "gemini-quota");
}

/** ms; `RetryInfo` counts in seconds, `"7s"` or `"1.5s"`. */
function retryDelay(details: readonly JsonObject[]): number | undefined {
  const delay = details.map((detail) => string(detail["retryDelay"])).find((text) => /^\d+(?:\.\d+)?s$/.test(text));
  return delay === undefined ? undefined : Math.ceil(Number(delay.slice(0, -1)) * 1_000);
}

/** The prompt was stopped before the model saw it. */
export const failureOfBlock = (word: string): Failure => ({
  ...verdict("content_policy_blocked", "gemini-blocked"),
  message: `The provider's content filter stopped the prompt (${word}).`,
});

/** Ends of a reply that are none: the server made nothing of what the model wrote. */
const BROKEN: ReadonlyMap<string, string> = new Map([
  ["MALFORMED_FUNCTION_CALL", "The model wrote a tool call that its server cannot read"],
  ["UNEXPECTED_TOOL_CALL", "The model called a tool where none may be called"],
  ["TOO_MANY_TOOL_CALLS", "The model made more tool calls than its server allows"],
  ["MALFORMED_RESPONSE", "The model wrote a reply that its server cannot read"],
]);

export function failureOfCandidate(word: string, message: string): Failure | undefined {
  const details = message.trim() === "" ? word : `${word}: ${message.trim().slice(0, 200).toWellFormed()}`;
  if (word === "MISSING_THOUGHT_SIGNATURE")
    return {
      ...verdict("thinking_signature", "gemini-signature"),
      message: `The provider misses a signature of a call (${details}).`,
    };
  const what = BROKEN.get(word);
  return what === undefined
    ? undefined
    : { ...verdict("server_error", "gemini-stop"), message: `${what} (${details}).` };
}
