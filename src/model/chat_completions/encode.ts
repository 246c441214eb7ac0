import { cleanText } from "../../protocol/clean-text.ts";
import { fenced } from "../../protocol/context.ts";
import { inKeyOrder, isObject, isShallow, type JsonObject } from "../../protocol/json.ts";
import { markSteer, neutralise } from "../../protocol/steer-marker.ts";
import {
  callsOf,
  imageMention,
  textOf,
  type Message,
  type Provenance,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import { type ToolSpec, UNNAMED_TOOL } from "../../protocol/tool.ts";
import { parseOrText } from "./wire.ts";

/** The start of a head: everything that is the same for the whole conversation; `messages` is its last key. */
export function encodeOpening(model: string, tools: readonly ToolSpec[], streaming: boolean): string {
  const list = tools.length === 0 ? "" : `"tools":[${tools.map(encodeTool).join()}],`;
  const stream = streaming ? `"stream":true,"stream_options":{"include_usage":true}` : `"stream":false`;
  return `{"model":${quote(model)},${stream},${list}"messages":[`;
}

/** What belongs to this attempt alone: what is `said` in private, its tool choice, its output limit, the brackets. */
export function encodeTail(
  said: readonly string[],
  { model, noTools, maxOutput }: ModelRequest,
  server: Server,
): string {
  const messages = said.map((encoded) => `,${encoded}`);
  const choice = noTools && server.hasTools ? `,"tool_choice":"none"` : "";
  const limit = maxOutput === undefined ? "" : `,"${limitName(model, server.host)}":${maxOutput}`;
  return `${messages.join("")}]${choice}${limit}}`;
}

/** Who is asked: how a limit is called depends on it. */
export interface Server {
  readonly host: string;
  readonly hasTools: boolean;
}

const NEWER_HOSTS = ["api.openai.com", ".openai.azure.com", "api.githubcopilot.com", ".githubcopilot.com"];
const NEWER_MODELS = /^(?:gpt-4o|gpt-4\.1|gpt-5|o1|o3|o4)/;

/** What the output limit is called by the newer half of the servers and models, and by all others (hermes.md §26.2). */
export function limitName(model: string, host: string): "max_completion_tokens" | "max_tokens" {
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  const isNewer = NEWER_HOSTS.some((known) => (known.startsWith(".") ? host.endsWith(known) : host === known));
  return isNewer || NEWER_MODELS.test(name) ? "max_completion_tokens" : "max_tokens";
}

/** Whom messages are written for. */
export interface Reader extends Provenance {
  /** The session's own code for the marker of what the user said while tools ran. */
  readonly nonce: string;
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

/** The user's own words, then what others added to them. */
function userContent(message: UserMessage): string {
  const contexts = message.parts.filter((part) => part.type === "context").map(fenced);
  return [orElse(message.sent ?? textOf(message), "(empty message)"), ...contexts].join("\n\n");
}

function encodeBlock(part: UserMessage["parts"][number]): string {
  if (part.type === "context") return `{"type":"text","text":${quote(fenced(part))}}`;
  if (part.type === "text") return `{"type":"text","text":${quote(part.text.trim())}}`;
  const detail = part.detail === undefined ? "" : `,"detail":${quote(part.detail)}`;
  return `{"type":"image_url","image_url":{"url":${quote(part.url)}${detail}}}`;
}

export const encodeText = (role: "system" | "user" | "assistant", text: string): string =>
  `{"role":"${role}","content":${quote(text.trim())}}`;

const encodeTool = ({ name, description, parameters }: ToolSpec): string =>
  `{"type":"function","function":{"name":${quote(name)},"description":${quote(description)},"parameters":${JSON.stringify(parameters)}}}`;

function encodeCall(call: ToolCallPart, reader: Reader): string {
  const opaque = isAtHome(call, reader) ? encodeOpaque(call.opaque) : "";
  return `{"id":${quote(call.callId)},"type":"function","function":{"name":${quote(safeName(call.name))},"arguments":${quote(canonicalArguments(call.input))}}${opaque}}`;
}

/** Gemini's models read each other's signatures, and servers of others may refuse a field they do not know. */
const GEMINI = /gemini|gemma/i;

/** What is opaque goes back to the provider that sent it, and there to the same model or its kin (hermes.md §5.3). */
const isAtHome = ({ provenance }: ToolCallPart, { provider, model }: Reader): boolean =>
  provenance?.provider === provider &&
  (provenance.model === model || (GEMINI.test(provenance.model) && GEMINI.test(model)));

const encodeOpaque = (opaque: JsonObject = {}): string =>
  Object.entries(opaque)
    .map(([name, value]) => `,${quote(name)}:${JSON.stringify(value, cleanItem)}`)
    .join("");

/** A name the model made up is replayed in letters every server takes: else one bad call would poison the history. */
const safeName = (name: string): string => orElse(name.replace(/[^\w-]/g, "_").slice(0, 64), UNNAMED_TOOL);

/** Receipts take only text here. What the user said meanwhile stands behind the tool's own output, under a marker. */
function receiptText(message: ToolMessage, nonce: string): string {
  const images = message.parts.filter((part) => part.type === "image").map(imageMention);
  const output = neutralise(orElse([textOf(message), ...images].join("\n"), "(no output)"));
  const steers = message.parts.filter((part) => part.type === "steer");
  return [output, ...steers.map((steer) => markSteer(steer.text, nonce))].join("\n\n");
}

function orElse(text: string, placeholder: string): string {
  const trimmed = text.trim();
  return trimmed === "" ? placeholder : trimmed;
}

/** A JSON string that every server reads. */
const quote = (text: string): string => JSON.stringify(cleanText(text));

/**
 * The same arguments are the same bytes, however the model spaced and ordered them (row C13). What is no JSON object,
 * or nests deeper than they read, is wrapped in one: many servers parse arguments again and would refuse every later
 * request.
 */
export function canonicalArguments(input: string): string {
  if (input.trim() === "") return "{}";
  const value = parseOrText(input);
  if (!isObject(value) || !isShallow(value)) return JSON.stringify({ malformed: cleanText(input) });
  const text = JSON.stringify(inKeyOrder(value));
  if (UNCLEAN.test(text)) return JSON.stringify(inKeyOrder(value), cleanItem);
  // A number with more digits than a double holds would come back as another one: then the text stays as it was.
  const long = input.match(/\d{16,}/g) ?? [];
  return long.every((digits) => text.includes(digits)) ? text : input.trim();
}

/** How JSON.stringify writes NUL and lone surrogates. */
const UNCLEAN = /\\u(?:0000|d[89a-f])/;
const cleanItem = (_key: string, item: unknown): unknown => (typeof item === "string" ? cleanText(item) : item);
