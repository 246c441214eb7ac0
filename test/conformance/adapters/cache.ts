import { encodeNext, encodeOpening, encodeTail } from "../../../src/model/chat_completions/encode.ts";
import { cacheLayout } from "../../../src/model/cache-policy.ts";
import type { Reader } from "../../../src/model/dialect.ts";
import { project } from "../../../src/protocol/projection/project.ts";
import { API_MODES } from "../../../src/protocol/provider.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf, textOrNone } from "../input.ts";
import { takeOver } from "./openai-rows.ts";
import { PLAIN_REQUEST } from "../../support/plain-request.ts";

/** `{provider, base_url, api_mode, model}`: whether, and how, what is sent is marked. */
export function cachePolicyCase(input: Json): unknown {
  const { provider, base_url: url, api_mode: mode, model } = objectOf(input, "input");
  const asked = API_MODES.find((each) => each === mode);
  if (asked === undefined) throw new Error(`there is no api mode ${textOf(mode, "api_mode")}`);
  const host = URL.parse(textOf(url, "base_url"))?.hostname ?? "";
  const layout = cacheLayout(asked, { provider: textOf(provider, "provider"), host, model: textOf(model, "model") });
  return { should_cache: layout !== undefined, native_layout: layout === "native" };
}

/** `{messages, cache_ttl}` as they leave for a gateway to Claude. */
export function cacheMarkersCase(input: Json): unknown {
  const { messages, cache_ttl: ttl } = objectOf(input, "input");
  const rows = listOf(messages, "messages");
  const [first] = rows;
  const isSystem = first !== undefined && objectOf(first, "row")["role"] === "system";
  const reader: Reader = {
    provider: "openrouter",
    model: "anthropic/claude-sonnet-4.6",
    host: "openrouter.ai",
    nonce: "0a1b2c",
    hasTools: false,
    hasSystem: isSystem,
    maxOutput: undefined,
    calls: new Map(),
    cacheTtl: ttl === "1h" ? "1h" : "5m",
  };
  const system = isSystem ? textOrNone(objectOf(first, "row")["content"]) : "";
  const sent = project(takeOver(isSystem ? rows.slice(1) : rows, { maxReceiptChars: Infinity }).messages);
  const opening = encodeOpening({ system, tools: [], streaming: true, reader });
  const head = sent.map((message, at) => encodeNext(message, sent[at - 1], reader));
  const asked = {
    provider: reader.provider,
    model: reader.model,
    history: sent,
    ...PLAIN_REQUEST,
  };
  const tail = encodeTail([], sent.at(-1), asked, reader);
  const body = JSON.parse(`${opening.join("")}${head.join("")}${tail}`) as Readonly<Record<string, unknown>>;
  return { messages: body["messages"], cache_control: body["cache_control"] };
}
