import { messageEvents } from "../../../src/model/anthropic_messages/decode.ts";
import { encodeMessage, encodeOpening, encodeTail } from "../../../src/model/anthropic_messages/encode.ts";
import { isSignInToken } from "../../../src/model/anthropic_messages/key.ts";
import { maxOutputOf, wireModel } from "../../../src/model/anthropic_messages/models.ts";
import type { Reader } from "../../../src/model/dialect.ts";
import { ReplyBuilder } from "../../../src/model/reply-builder.ts";
import { sanitiseSchema } from "../../../src/model/tool-schema.ts";
import { legalHistory } from "../../../src/protocol/history.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { project } from "../../../src/protocol/projection/project.ts";
import { type Effort, EFFORTS } from "../../../src/protocol/provider.ts";
import type { ToolSpec } from "../../../src/protocol/tool.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf, textOrNone } from "../input.ts";
import { takeOver } from "./openai-rows.ts";

const UNCUT = { maxReceiptChars: Infinity };
const MODEL = "claude-opus-4-8";

const valueOf = (input: Json): string => textOf(objectOf(input, "input")["value"], "value");

/** `{value}`: a model's name. */
export const anthropicMaxOutputCase = (input: Json): unknown => ({ max_output: maxOutputOf(valueOf(input)) });

/** `{value, preserve_dots?}`: the name under which it is asked. */
export const anthropicModelNameCase = (input: Json): unknown => ({
  model: wireModel({ model: valueOf(input), host: "api.anthropic.com" }),
});

/** `{value}`: whether a key is a token of a sign-in. */
export const anthropicTokenCase = (input: Json): unknown => ({ oauth: isSignInToken(valueOf(input)) });

const hostOf = (url: Json | undefined): string => URL.parse(textOrNone(url))?.hostname ?? "api.anthropic.com";

const toolsOf = (input: Json | undefined): ToolSpec[] =>
  listOf(input ?? [], "tools").map((tool) => {
    const { name, description, parameters } = objectOf(objectOf(tool, "tool")["function"], "function");
    const known = parameters !== undefined && isObject(parameters) ? parameters : {};
    return { name: textOf(name, "name"), description: textOrNone(description), parameters: known };
  });

/** `{tools}`: each with its parameters as they are sent. */
export const toolSchemaCase = (input: Json): unknown => ({
  tools: listOf(objectOf(input, "input")["tools"], "tools").map((tool) => {
    const { parameters, ...rest } = objectOf(objectOf(tool, "tool")["function"], "function");
    return { ...objectOf(tool, "tool"), function: { ...rest, parameters: sanitiseSchema(parameters) } };
  }),
});

/** `{tools}` as they stand in a request. */
export const anthropicToolsCase = (input: Json): unknown => ({
  tools: bodyOf({ tools: toolsOf(objectOf(input, "input")["tools"]) })["tools"],
});

/** `{messages, base_url?, model?}`: what of a request they become. */
export function anthropicMessagesCase(input: Json): unknown {
  const { messages, base_url: url, model } = objectOf(input, "input");
  const { system, messages: sent } = bodyOf({
    rows: listOf(messages, "messages"),
    model: textOrNone(model) || MODEL,
    host: hostOf(url),
  });
  return { system: system ?? null, messages: (sent as readonly JsonObject[]).map(withPlainText) };
}

/** `{model, messages, max_tokens?, reasoning_config?, base_url?}` as a request. */
export function anthropicRequestCase(input: Json): unknown {
  const asked = objectOf(input, "input");
  const { model, messages, max_tokens: limit, reasoning_config: reasoning, base_url: url } = asked;
  const level = reasoning !== undefined && isObject(reasoning) ? reasoning["effort"] : undefined;
  const body = bodyOf({
    rows: listOf(messages, "messages"),
    model: textOf(model, "model"),
    host: hostOf(url),
    effort: EFFORTS.find((each) => each === level),
    ...(typeof limit === "number" && { maxOutput: limit }),
  });
  return { request: { ...body, messages: (body["messages"] as readonly JsonObject[]).map(withPlainText) } };
}

/** A message of the user that is one bare text may as well be that text: the API reads both as one. */
function withPlainText(message: JsonObject): Json {
  const [first, ...more] = listOf(message["content"], "content");
  const block = objectOf(first, "block");
  const isBare = message["role"] === "user" && block["type"] === "text" && more.length === 0;
  return isBare && !("cache_control" in block) ? { ...message, content: block["text"] ?? null } : message;
}

interface Asked {
  readonly rows?: readonly Json[];
  readonly tools?: readonly ToolSpec[];
  readonly model?: string;
  readonly host?: string;
  readonly effort?: Effort | undefined;
  readonly maxOutput?: number;
}

/** Our whole request, but for marks where the rows came without any. */
function bodyOf({ rows = [], tools = [], model = MODEL, host = "h", effort, maxOutput }: Asked): JsonObject {
  const isMarked = JSON.stringify(rows).includes("cache_control");
  const reader: Reader = {
    provider: isMarked ? "anthropic" : "unmarked",
    model,
    host,
    nonce: "0a1b2c",
    hasTools: tools.length > 0,
    hasSystem: true,
    maxOutput: undefined,
    calls: new Map(),
    effort,
  };
  const system = rows
    .filter((row) => objectOf(row, "row")["role"] === "system")
    .map(systemText)
    .join("\n\n");
  const messages = project(legalHistory(messagesOf(rows, reader)));
  const opening = encodeOpening({ system, tools, streaming: true, reader });
  const head = messages.map((message, at) => encodeMessage(message, messages[at - 1], reader));
  const request = {
    provider: reader.provider,
    model,
    history: messages,
    compaction: undefined,
    tail: [],
    noTools: false,
    continues: false,
    maxOutput,
    streaming: true,
  };
  const whole = `${opening.join("")}${head.join("")}${encodeTail([], messages.at(-1), request, reader)}`;
  const body = JSON.parse(whole) as JsonObject;
  return isMarked ? body : (unmarked(body) as JsonObject);
}

const unmarked = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(unmarked);
  if (!isObject(value)) return value;
  const { cache_control: _mark, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, unmarked(inner)]));
};

function systemText(row: Json): string {
  const { content } = objectOf(row, "row");
  if (typeof content === "string") return content;
  return listOf(content, "content")
    .map((block) => textOf(objectOf(block, "block")["text"], "text"))
    .join("\n\n");
}

/** Rows that keep a reply of this API are read as that reply; all others as any imported row. */
function messagesOf(rows: readonly Json[], reader: Reader): Message[] {
  const { messages, rows: origins } = takeOver(
    rows.filter((row) => objectOf(row, "row")["role"] !== "system"),
    UNCUT,
  );
  return messages.map((message) => {
    const blocks = message.role === "assistant" ? replyBlocks(origins.get(message)) : undefined;
    return blocks === undefined ? message : replyOf(blocks, reader);
  });
}

/** The reply behind a row: its ordered blocks where they were kept, else thoughts, text and calls in this order. */
function replyBlocks(row: JsonObject | undefined): readonly Json[] | undefined {
  const calls = listOf(row?.["tool_calls"] ?? [], "tool_calls").map(callBlock);
  const ordered = row?.["anthropic_content_blocks"];
  if (ordered !== undefined)
    // Calls are kept twice, and secrets were taken out of one of the two alone.
    return listOf(ordered, "blocks").map(
      (block) => calls.find((call) => call["id"] === objectOf(block, "block")["id"]) ?? block,
    );
  const unsigned = textOrNone(row?.["reasoning_content"]);
  const details = row?.["reasoning_details"];
  if (details === undefined && unsigned === "") return undefined;
  const thoughts = details === undefined ? [{ type: "thinking", thinking: unsigned }] : listOf(details, "details");
  const text = textOrNone(row?.["content"]);
  return [...thoughts, ...(text === "" ? [] : [{ type: "text", text }]), ...calls];
}

function callBlock(call: Json): JsonObject {
  const { id, function: called } = objectOf(call, "call");
  const { name, arguments: input } = objectOf(called, "function");
  return { type: "tool_use", id: id ?? null, name: name ?? null, input: JSON.parse(textOf(input, "input")) as Json };
}

function replyOf(content: readonly Json[], { provider, model }: Reader): Message {
  const options = { provenance: { provider, model }, takenIds: new Set<string>(), continues: false, where: "h" };
  const builder = new ReplyBuilder(options);
  messageEvents(builder).read({ type: "message", content, stop_reason: "end_turn" }, undefined);
  builder.done();
  builder.end();
  const reply = builder.reply();
  if (reply.type !== "message") throw new Error(`the recorded blocks are no reply but ${reply.type}`);
  return reply.message;
}
