import { createHash } from "node:crypto";
import type { JsonObject } from "../../protocol/json.ts";
import {
  type AssistantMessage,
  callsOf,
  textOf,
  type Message,
  type ToolCallPart,
  type UserMessage,
} from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { cacheLayout, cacheMark } from "../cache-policy.ts";
import { type HeadOpening, type Reader, takes } from "../dialect.ts";
import { nearestWord } from "../effort.ts";
import { isAtHome } from "../provenance.ts";
import { objectsIn } from "../reading.ts";
import { sanitiseSchema } from "../tool-schema.ts";
import {
  BETWEEN,
  canonicalArguments,
  encodeValue,
  legalId,
  quote,
  receiptText,
  safeName,
  userContent,
  userPiece,
} from "../wire-text.ts";
import { type Quirks, quirksOf } from "./quirks.ts";

/** The start of a body: the model and its tools, then the system prompt as the first message. */
export function encodeOpening({ system, tools, streaming, reader }: HeadOpening): readonly [string, string] {
  const list = tools.length === 0 ? "" : `"tools":[${tools.map(encodeTool).join()}],`;
  const counted = takes(reader, "stream_options") ? `,"stream_options":{"include_usage":true}` : "";
  const stream = streaming ? `true${counted}` : "false";
  const shared = `{"model":${quote(reader.model)},"stream":${stream},${encodeEffort(reader)}${list}"messages":[`;
  return [shared, system === "" ? "" : encodeSystem(system, reader)];
}

/** Where a cache wants to be told, what sessions have alike ends with a mark (hermes.md §5.5). */
function encodeSystem(system: string, reader: Reader): string {
  const role = quirksOf(reader).systemRole;
  if (!isMarked(reader)) return encodeText(role, system);
  return `{"role":"${role}","content":[{"type":"text","text":${quote(system.trim())}${cacheMark(reader)}}]}`;
}

const isMarked = (reader: Reader): boolean => cacheLayout("chat_completions", reader) === "envelope";

/** A mark that the server itself moves behind the last block: gateways to Claude know it (openrouter.ai: prompt caching). */
const movingMark = (reader: Reader): string =>
  isMarked(reader) && /claude/i.test(reader.model) ? cacheMark(reader) : "";

/** Only a model that is known to take it is told how much to think. */
function encodeEffort(reader: Reader): string {
  const { effort, thinking = {} } = reader;
  const { effort: place } = quirksOf(reader);
  const word = effort === undefined ? undefined : nearestWord(effort, thinking);
  if (word === undefined || place === undefined || !takes(reader, place)) return "";
  return place === "reasoning" ? `"reasoning":{"effort":${quote(word)}},` : `"reasoning_effort":${quote(word)},`;
}

/** What the head grows by. */
export function encodeNext(message: Message, before: Message | undefined, reader: Reader): string {
  const next = encodeMessage(message, reader);
  if (before === undefined && !reader.hasSystem) return next;
  const meets = message.role === "user" && before?.role === "tool" && noUserAfterTool(reader);
  return meets ? `,${encodeText("assistant", BETWEEN)},${next}` : `,${next}`;
}

const noUserAfterTool = (reader: Reader): boolean => reader.strict === true || quirksOf(reader).noUserAfterTool;

/** What belongs to this attempt alone: what is `said` in private, its tool choice, its output limit, the brackets. */
export function encodeTail(
  said: readonly Message[],
  last: Message | undefined,
  { noTools, maxOutput }: ModelRequest,
  reader: Reader,
): string {
  const messages = said.map((message, at) => encodeNext(message, said[at - 1] ?? last, reader));
  const choice = noTools && reader.hasTools ? `,"tool_choice":"none"` : "";
  const name = maxOutput === undefined ? undefined : limitName(reader);
  const limit = name === undefined ? "" : `,"${name}":${maxOutput}`;
  return `${messages.join("")}]${choice}${limit}${movingMark(reader)}}`;
}

/** A server that refuses one of the two names may know the other. */
function limitName(reader: Reader): Quirks["limit"] | undefined {
  const { limit } = quirksOf(reader);
  const names: readonly Quirks["limit"][] = [limit, "max_tokens", "max_completion_tokens"];
  return names.find((name) => takes(reader, name));
}

/** The wire form of one message of a projection. */
export function encodeMessage(message: Message, reader: Reader): string {
  switch (message.role) {
    case "user":
      return encodeUser(message);
    case "tool":
      return `{"role":"tool","tool_call_id":${wireId(message.callId, reader)},"content":${quote(receiptText(message, reader.nonce))}}`;
    case "assistant":
      return encodeAssistant(message, reader);
  }
}

function encodeAssistant(message: AssistantMessage, reader: Reader): string {
  const text = textOf(message).trim();
  const thought = encodeThought(message, reader);
  const calls = callsOf(message).map((call) => encodeCall(call, reader));
  if (calls.length === 0) return `{"role":"assistant","content":${quote(text)}${thought}}`;
  const content = text === "" ? "null" : quote(text);
  return `{"role":"assistant","content":${content}${thought},"tool_calls":[${calls.join()}]}`;
}

/** What this model thought itself; else a space, which stands for thoughts that nobody has (hermes.md §5.3). */
function encodeThought({ parts }: AssistantMessage, reader: Reader): string {
  const { echoesReasoning, echoesDetails } = quirksOf(reader);
  if (!echoesReasoning && !echoesDetails) return "";
  const own = parts.filter((part) => part.type === "reasoning").filter((part) => isAtHome(part.provenance, reader));
  const details = echoesDetails ? own.flatMap(({ opaque = {} }) => objectsIn(opaque["reasoning_details"])) : [];
  const sealed = details.length === 0 ? "" : `,"reasoning_details":${encodeValue(details)}`;
  const text = own.map((part) => part.text).join("") || " ";
  return echoesReasoning ? `${sealed},"reasoning_content":${quote(text)}` : sealed;
}

/** The same for a call and its receipt. */
function wireId(id: string, reader: Reader): string {
  const { shortIds, longestId } = quirksOf(reader);
  if (!shortIds && reader.strict !== true)
    return quote(id === "" || id.length > longestId ? legalId(id, longestId) : id);
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return quote(id);
  const letters = createHash("sha256")
    .update(id)
    .digest("base64")
    .replace(/[^a-zA-Z0-9]/g, "");
  return quote(letters.slice(0, 9));
}

function encodeUser(message: UserMessage): string {
  if (message.sent !== undefined || message.parts.every((part) => part.type !== "image"))
    return `{"role":"user","content":${quote(userContent(message))}}`;
  const shown = message.parts.filter((part) => part.type === "image" || part.text.trim() !== "");
  return `{"role":"user","content":[${shown.map(encodeBlock).join()}]}`;
}

function encodeBlock(part: UserMessage["parts"][number]): string {
  if (part.type !== "image") return `{"type":"text","text":${quote(userPiece(part))}}`;
  const detail = part.detail === undefined ? "" : `,"detail":${quote(part.detail)}`;
  return `{"type":"image_url","image_url":{"url":${quote(part.url)}${detail}}}`;
}

const encodeText = (role: Quirks["systemRole"] | "assistant", text: string): string =>
  `{"role":"${role}","content":${quote(text.trim())}}`;

const encodeTool = ({ name, description, parameters }: ToolSpec): string =>
  `{"type":"function","function":{"name":${quote(name)},"description":${quote(description)},"parameters":${encodeValue(sanitiseSchema(parameters))}}}`;

function encodeCall(call: ToolCallPart, reader: Reader): string {
  const opaque = isAtHome(call.provenance, reader) ? encodeOpaque(call.opaque) : "";
  return `{"id":${wireId(call.callId, reader)},"type":"function","function":{"name":"${safeName(call.name)}","arguments":${quote(canonicalArguments(call.input))}}${opaque}}`;
}

const encodeOpaque = (opaque: JsonObject = {}): string =>
  Object.entries(opaque)
    .map(([name, value]) => `,${quote(name)}:${encodeValue(value)}`)
    .join("");
