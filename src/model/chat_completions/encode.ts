import { fenced } from "../../protocol/context.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { callsOf, textOf, type Message, type ToolCallPart, type UserMessage } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import type { HeadOpening, Reader } from "../dialect.ts";
import { isAtHome } from "../provenance.ts";
import { canonicalArguments, encodeValue, quote, receiptText, safeName, userContent } from "../wire-text.ts";

/** The start of a body: the model and its tools, then the system prompt as the first message. */
export function encodeOpening({ system, tools, streaming, reader }: HeadOpening): readonly [string, string] {
  const list = tools.length === 0 ? "" : `"tools":[${tools.map(encodeTool).join()}],`;
  const stream = streaming ? `"stream":true,"stream_options":{"include_usage":true}` : `"stream":false`;
  const shared = `{"model":${quote(reader.model)},${stream},${list}"messages":[`;
  return [shared, system === "" ? "" : encodeText("system", system)];
}

/** What the head grows by. */
export function encodeNext(message: Message, before: Message | undefined, reader: Reader): string {
  const isFirst = before === undefined && !reader.hasSystem;
  return `${isFirst ? "" : ","}${encodeMessage(message, reader)}`;
}

/** What belongs to this attempt alone: what is `said` in private, its tool choice, its output limit, the brackets. */
export function encodeTail(
  said: readonly Message[],
  last: Message | undefined,
  { noTools, maxOutput }: ModelRequest,
  reader: Reader,
): string {
  const messages = said.map((message, at) => encodeNext(message, said[at - 1] ?? last, reader));
  const choice = noTools && reader.hasTools ? `,"tool_choice":"none"` : "";
  const limit = maxOutput === undefined ? "" : `,"${limitName(reader.model, reader.host)}":${maxOutput}`;
  return `${messages.join("")}]${choice}${limit}}`;
}

const NEWER_HOSTS = ["api.openai.com", ".openai.azure.com", "api.githubcopilot.com", ".githubcopilot.com"];
const NEWER_MODELS = /^(?:gpt-4o|gpt-4\.1|gpt-5|o1|o3|o4)/;

/** What the output limit is called by the newer half of the servers and models, and by all others (hermes.md §26.2). */
export function limitName(model: string, host: string): "max_completion_tokens" | "max_tokens" {
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  const isNewer = NEWER_HOSTS.some((known) => (known.startsWith(".") ? host.endsWith(known) : host === known));
  return isNewer || NEWER_MODELS.test(name) ? "max_completion_tokens" : "max_tokens";
}

/** The wire form of one message of a projection. */
export function encodeMessage(message: Message, reader: Reader): string {
  switch (message.role) {
    case "user":
      return encodeUser(message);
    case "tool":
      return `{"role":"tool","tool_call_id":${quote(message.callId)},"content":${quote(receiptText(message, reader.nonce))}}`;
    case "assistant": {
      const calls = callsOf(message);
      const text = textOf(message).trim();
      if (calls.length === 0) return encodeText("assistant", text);
      const content = text === "" ? "null" : quote(text);
      return `{"role":"assistant","content":${content},"tool_calls":[${calls.map((call) => encodeCall(call, reader)).join()}]}`;
    }
  }
}

function encodeUser(message: UserMessage): string {
  if (message.sent !== undefined || message.parts.every((part) => part.type !== "image"))
    return encodeText("user", userContent(message));
  const shown = message.parts.filter((part) => part.type === "image" || part.text.trim() !== "");
  return `{"role":"user","content":[${shown.map(encodeBlock).join()}]}`;
}

function encodeBlock(part: UserMessage["parts"][number]): string {
  if (part.type === "context") return `{"type":"text","text":${quote(fenced(part))}}`;
  if (part.type === "text") return `{"type":"text","text":${quote(part.text.trim())}}`;
  const detail = part.detail === undefined ? "" : `,"detail":${quote(part.detail)}`;
  return `{"type":"image_url","image_url":{"url":${quote(part.url)}${detail}}}`;
}

const encodeText = (role: "system" | "user" | "assistant", text: string): string =>
  `{"role":"${role}","content":${quote(text.trim())}}`;

const encodeTool = ({ name, description, parameters }: ToolSpec): string =>
  `{"type":"function","function":{"name":${quote(name)},"description":${quote(description)},"parameters":${JSON.stringify(parameters)}}}`;

function encodeCall(call: ToolCallPart, reader: Reader): string {
  const opaque = isAtHome(call.provenance, reader) ? encodeOpaque(call.opaque) : "";
  return `{"id":${quote(call.callId)},"type":"function","function":{"name":${quote(safeName(call.name))},"arguments":${quote(canonicalArguments(call.input))}}${opaque}}`;
}

const encodeOpaque = (opaque: JsonObject = {}): string =>
  Object.entries(opaque)
    .map(([name, value]) => `,${quote(name)}:${encodeValue(value)}`)
    .join("");
