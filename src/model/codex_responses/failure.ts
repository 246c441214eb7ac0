import type { Failure, FailureReason } from "../../protocol/failure.ts";
import {
  failureOfError as readError,
  failureOfStatus as readStatus,
  type Refusal,
  type Telling,
} from "../failure/refusal.ts";
import { verdict } from "../failure/verdict.ts";
import { objectOf, parseOrText, string } from "../reading.ts";

/** The words of this API that no other has. */
const CODES: ReadonlyMap<string, FailureReason> = new Map([
  ["invalid_encrypted_content", "invalid_encrypted_content"],
  ["server_is_overloaded", "overloaded"],
  ["slow_down", "overloaded"],
  ["invalid_prompt", "content_policy_blocked"],
  ["cyber_policy", "content_policy_blocked"],
  ["usage_limit_reached", "rate_limit"],
  ["usage_not_included", "billing"],
  ["vector_store_timeout", "timeout"],
  ["image_too_large", "image_too_large"],
  ["image_file_too_large", "image_too_large"],
]);

export const failureOfStatus = (refusal: Refusal): Failure =>
  withOwnWord(readStatus(refusal), parseOrText(refusal.body));

/** An error stands alone in its event, or in a response that failed or was cancelled. */
export function failureOfError(body: unknown, telling: Telling): Failure {
  const { response, ...event } = objectOf(body);
  const failed = objectOf(response ?? event);
  const { status, error } = failed;
  if (status === "cancelled" && (error ?? null) === null)
    return { ...verdict("server_error", "responses-cancelled"), message: `${telling.where} cancelled its reply.` };
  const told = (error ?? null) === null ? body : { error };
  return withOwnWord(readError(told, telling), told);
}

function withOwnWord(failure: Failure, body: unknown): Failure {
  const outer = objectOf(body);
  const { code, type } = objectOf(outer["error"]);
  const words = [code, type, outer["code"]].map((word) => string(word).toLowerCase());
  const word = words.find((each) => CODES.has(each)) ?? "";
  const reason = CODES.get(word);
  return reason === undefined ? failure : { ...failure, ...verdict(reason, `responses-${word}`) };
}
