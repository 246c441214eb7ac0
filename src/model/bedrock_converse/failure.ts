import type { Failure } from "../../protocol/failure.ts";
import * as shared from "../failure/refusal.ts";
import { type Verdict, verdict } from "../failure/rules.ts";
import { objectOf, parseOrText, string } from "../reading.ts";

/** Why a request was refused: the kind of exception stands in a header, or in the body, its words in the body. */
export function failureOfStatus(refusal: shared.Refusal): Failure {
  const body = objectOf(parseOrText(refusal.body));
  const words = string(body["message"]) || string(body["Message"]);
  const type = string(refusal.headers["x-amzn-errortype"]) || string(body["__type"]);
  const plain = words === "" ? refusal : { ...refusal, body: JSON.stringify({ message: words }) };
  return refined(shared.failureOfStatus(plain), kindOf(type), words);
}

/** An exception in the middle of a stream, or a frame that cannot be read. */
export function failureOfError(error: unknown, where: string, nowMs: number): Failure {
  const { type, message } = objectOf(objectOf(error)["error"]);
  return refined(shared.failureOfError(error, where, nowMs), kindOf(string(type)), string(message));
}

/** `com.amazon#ThrottlingException:http://…` and `throttlingException` are one kind. */
const kindOf = (type: string): string =>
  (type.split(":")[0]?.split("#").at(-1) ?? "").toLowerCase().replace(/(?:exception|error)$/, "");

function refined(failure: Failure, kind: string, words: string): Failure {
  return { ...failure, ...(KINDS.get(kind) ?? fromWords(kind, words)) };
}

const KINDS: ReadonlyMap<string, Verdict> = new Map([
  ["throttling", verdict("rate_limit")],
  ["toomanyrequests", verdict("rate_limit")],
  ["servicequotaexceeded", verdict("rate_limit", "KF")],
  ["modelnotready", verdict("overloaded")],
  ["serviceunavailable", verdict("overloaded")],
  ["modeltimeout", verdict("timeout")],
  ["internalserver", verdict("server_error")],
  ["modelstream", verdict("server_error")],
  ["model", verdict("server_error")],
  ["brokenframe", verdict("server_error")],
  ["resourcenotfound", verdict("model_not_found")],
  ["unrecognizedclient", verdict("auth")],
  ["invalidsignature", verdict("auth")],
  ["expiredtoken", verdict("auth")],
  ["missingauthenticationtoken", verdict("auth")],
]);

/** Two kinds mean many things. */
function fromWords(kind: string, words: string): Verdict | undefined {
  if (kind === "accessdenied") return /payment|billing|subscription/i.test(words) ? verdict("billing") : undefined;
  if (kind === "validation" && /model (?:identifier|id)|inference profile|on-demand throughput/i.test(words))
    return verdict("model_not_found");
  return undefined;
}

/** Ends of a reply that are none. */
export function failureOfStop(word: string): Failure | undefined {
  if (word !== "malformed_model_output" && word !== "malformed_tool_use") return undefined;
  return { ...verdict("server_error"), message: `The model wrote what its server cannot read (${word}).` };
}
