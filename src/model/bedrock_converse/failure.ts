import type { Failure } from "../../protocol/failure.ts";
import * as shared from "../failure/refusal.ts";
import { type Verdict, verdict } from "../failure/verdict.ts";
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
export function failureOfError(error: unknown, telling: shared.Telling): Failure {
  const { type, message } = objectOf(objectOf(error)["error"]);
  return refined(shared.failureOfError(error, telling), kindOf(string(type)), string(message));
}

/** `com.amazon#ThrottlingException:http://…` and `throttlingException` are one kind. */
const kindOf = (type: string): string =>
  (type.split(":")[0]?.split("#").at(-1) ?? "").toLowerCase().replace(/(?:exception|error)$/, "");

function refined(failure: Failure, kind: string, words: string): Failure {
  return { ...failure, ...(KINDS.get(kind) ?? fromWords(kind, words)) };
}

type Kind = Verdict & Pick<Failure, "noReply">;

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["throttling", verdict("rate_limit", "bedrock-throttling")],
  ["toomanyrequests", verdict("rate_limit", "bedrock-toomanyrequests")],
  ["servicequotaexceeded", verdict("rate_limit", "bedrock-servicequotaexceeded", "KF")],
  ["modelnotready", verdict("overloaded", "bedrock-modelnotready")],
  ["serviceunavailable", verdict("overloaded", "bedrock-serviceunavailable")],
  ["modeltimeout", verdict("timeout", "bedrock-modeltimeout")],
  ["internalserver", verdict("server_error", "bedrock-internalserver")],
  ["modelstream", verdict("server_error", "bedrock-modelstream")],
  ["model", verdict("server_error", "bedrock-model")],
  ["brokenframe", { ...verdict("server_error", "bedrock-brokenframe"), noReply: true }],
  ["resourcenotfound", verdict("model_not_found", "bedrock-resourcenotfound")],
  ["unrecognizedclient", verdict("auth", "bedrock-unrecognizedclient")],
  ["invalidsignature", verdict("auth", "bedrock-invalidsignature")],
  ["expiredtoken", verdict("auth", "bedrock-expiredtoken")],
  ["missingauthenticationtoken", verdict("auth", "bedrock-missingauthenticationtoken")],
]);

/** Two kinds mean many things. */
function fromWords(kind: string, words: string): Verdict | undefined {
  if (kind === "accessdenied")
    return /payment|billing|subscription/i.test(words) ? verdict("billing", "bedrock-access-billing") : undefined;
  if (kind === "validation" && /model (?:identifier|id)|inference profile|on-demand throughput/i.test(words))
    return verdict("model_not_found", "bedrock-validation-model");
  return undefined;
}

/** Ends of a reply that are none. */
export function failureOfStop(word: string): Failure | undefined {
  if (word !== "malformed_model_output" && word !== "malformed_tool_use") return undefined;
  return {
    ...verdict("server_error", "bedrock-stop"),
    message: `The model wrote what its server cannot read (${word}).`,
  };
}
