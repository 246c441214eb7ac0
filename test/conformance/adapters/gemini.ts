import { apiAt, HOSTED } from "../../../src/model/discovery/catalogue.ts";
import { isFreeTier } from "../../../src/model/gemini/failure.ts";
import { gemini } from "../../../src/model/gemini/index.ts";
import { bareModel } from "../../../src/model/gemini/models.ts";
import { geminiSchema } from "../../../src/model/gemini/schema.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { requestOf } from "./dialect-request.ts";
import { replyOf } from "./whole-reply.ts";

/** `{schema}`: what is sent of it. */
export const geminiSchemaCase = (input: Json): unknown => ({
  schema: geminiSchema(objectOf(input, "input")["schema"]),
});

/** `{message}`: whether it tells of a quota of the free tier. */
export const geminiFreeTierCase = (input: Json): unknown => ({
  free_tier: isFreeTier(textOf(objectOf(input, "input")["message"], "message")),
});

/** `{base_url}`: whether Gemini's own dialect is spoken there; `{model}`: the name a model is asked by. */
export function geminiNativeUrlCase(input: Json): unknown {
  const { base_url: url, model } = objectOf(input, "input");
  if (model !== undefined) return { bare: bareModel(textOf(model, "model")) };
  const address = textOf(url, "base_url");
  const host = URL.parse(address)?.host;
  const entry = HOSTED.find(({ baseUrl }) => URL.parse(baseUrl)?.host === host);
  return { native: entry !== undefined && apiAt(entry, address) === "gemini" };
}

/** `{messages, tools?, max_tokens?}` as a request; sampling, stops and forced choices are nothing that ours could ask for. */
export function geminiRequestCase(input: Json): unknown {
  const { messages, tools, max_tokens: maxOutput } = objectOf(input, "input");
  const rows = listOf(messages, "messages");
  return {
    request: requestOf(gemini, { model: "gemini-2.5-flash", host: "h.test", rows, tools, maxOutput }),
  };
}

/** `{provider: "gemini", reason}`: how a reply ends that says so. */
export function finishReasonCase(input: Json): unknown {
  const { provider, reason } = objectOf(input, "input");
  if (provider !== "gemini") throw new Error(`nothing of ${JSON.stringify(provider)} was recorded`);
  const candidate = { content: { role: "model", parts: [{ text: "x" }] }, finishReason: reason ?? null };
  const reply = replyOf(gemini, { candidates: [candidate] });
  switch (reply.type) {
    case "message":
      return { finish_reason: reply.finish };
    case "cut":
      return { finish_reason: "length" };
    case "failure":
      return { finish_reason: reply.failure.reason === "content_policy_blocked" ? "content_filter" : "error" };
    default:
      return { finish_reason: reply.type };
  }
}
