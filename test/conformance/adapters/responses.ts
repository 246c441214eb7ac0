import { codexResponses } from "../../../src/model/codex_responses/index.ts";
import { splitId } from "../../../src/model/codex_responses/call-id.ts";
import type { Reader } from "../../../src/model/dialect.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { takeOver } from "./openai-rows.ts";
import { replyOf } from "./whole-reply.ts";

const READER: Reader = {
  provider: "openai",
  model: "gpt-5.4",
  host: "api.openai.com",
  nonce: "",
  hasTools: true,
  hasSystem: false,
  maxOutput: undefined,
  calls: new Map(),
};

/** `{op, …}`: the two ids that are kept in one, or the id of the item that a call becomes. */
export function responsesToolIdCase(input: Json): unknown {
  const { op, id, call_id: callId } = objectOf(input, "input");
  if (op === "split") {
    const ids = splitId(textOf(id, "id"));
    return { call_id: ids.callId, item_id: ids.itemId ?? null };
  }
  const call = { type: "tool-call", callId: textOf(callId, "call_id"), name: "t", input: "{}" } as const;
  const [item] = itemsOf([{ role: "assistant", parts: [call] }]);
  return { id: (isObject(item) && item["id"]) || null };
}

/** `{messages}`: the items they become; `{tools}`: what stands in the request for them. */
export function responsesInputCase(input: Json): unknown {
  const { messages, tools } = objectOf(input, "input");
  if (tools === undefined) return { items: itemsOf(takeOver(listOf(messages, "messages"), UNCUT).messages) };
  if (listOf(tools, "tools").length > 0) throw new Error("a recording with tools is not known");
  const [shared] = codexResponses.encodeOpening({ system: "", tools: [], streaming: true, reader: READER });
  return { tools: shared.includes('"tools"') ? [] : null };
}

const UNCUT = { maxReceiptChars: Infinity };

function itemsOf(messages: readonly Message[]): readonly Json[] {
  const items = messages.map((message, at) => codexResponses.encodeMessage(message, messages[at - 1], READER));
  return JSON.parse(`[${items.join("")}]`) as readonly Json[];
}

/** `{response}`: what a whole response says. One that only thinks is neither an answer nor an end. */
export function responsesResponseCase(input: Json): unknown {
  const reply = replyOf(codexResponses, objectOf(input, "input")["response"] ?? null);
  if (reply.type !== "message" && reply.type !== "empty") return { type: reply.type };
  const parts = reply.type === "message" ? reply.message.parts : reply.reasoning === undefined ? [] : [reply.reasoning];
  const textsOf = (type: "text" | "reasoning"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  return {
    content: textsOf("text"),
    finish_reason: reply.type === "message" ? reply.finish : "incomplete",
    reasoning: textsOf("reasoning"),
    reasoning_items: parts.filter((part) => part.type === "reasoning" && part.opaque !== undefined).length,
    tool_calls: parts.filter((part) => part.type === "tool-call").length,
  };
}
