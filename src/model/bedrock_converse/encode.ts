import type { Message } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { cacheLayout } from "../cache-policy.ts";
import { type HeadOpening, type Reader, takes } from "../dialect.ts";
import { sanitiseSchema } from "../tool-schema.ts";
import { BETWEEN, encodeValue, quote, safeName } from "../wire-text.ts";
import { blocksOf } from "./blocks.ts";

/** The start of a body: its tools, then the system prompt; the end of each is marked for the cache. */
export function encodeOpening({ system, tools, reader }: HeadOpening): readonly [string, string] {
  const point = cachePoint(reader);
  const list = tools.length === 0 ? "" : `"toolConfig":{"tools":[${encodeTools(tools)}${point}]},`;
  const prompt = system === "" ? "" : `"system":[{"text":${quote(system)}}${point}],`;
  return [`{${list}`, `${prompt}"messages":[`];
}

/** Of two tools of one name the first is meant: the API refuses both. */
function encodeTools(tools: readonly ToolSpec[]): string {
  const byName = new Map(tools.toReversed().map((tool) => [safeName(tool.name), tool]));
  const listed = [...byName].toReversed();
  return listed.map(([name, { description, parameters }]) => encodeTool(name, description, parameters)).join();
}

function encodeTool(name: string, description: string, parameters: ToolSpec["parameters"]): string {
  const about = description.trim() === "" ? "" : `"description":${quote(description)},`;
  const schema = encodeValue(sanitiseSchema(parameters));
  return `{"toolSpec":{"name":"${name}",${about}"inputSchema":{"json":${schema}}}}`;
}

/** A block of its own, behind what is to be cached; at most three of the four that may be stand in a request. */
function cachePoint(reader: Reader): string {
  if (cacheLayout("bedrock_converse", reader) === undefined) return "";
  const ttl = reader.cacheTtl === "1h" ? `,"ttl":"1h"` : "";
  return `,{"cachePoint":{"type":"default"${ttl}}}`;
}

/** Receipts are the user's. */
const roleOf = ({ role }: Message): "user" | "assistant" => (role === "assistant" ? "assistant" : "user");

/**
 * What the head grows by: neighbours of one role share a message, so the last one stays open. Some models refuse a text
 * behind results in it.
 */
export function encodeNext(message: Message, before: Message | undefined, reader: Reader): string {
  const role = roleOf(message);
  const blocks = blocksOf(message, reader);
  if (reader.strict === true && message.role === "user" && before?.role === "tool")
    return `]},{"role":"assistant","content":[{"text":${quote(BETWEEN)}}]},{"role":"user","content":[${blocks}`;
  if (before !== undefined && roleOf(before) === role) return `,${blocks}`;
  return `${before === undefined ? "" : "]},"}{"role":"${role}","content":[${blocks}`;
}

/**
 * What belongs to this attempt alone: the mark behind all that stays, what is `said` in private, the longest reply.
 */
export function encodeTail(
  said: readonly Message[],
  last: Message | undefined,
  { maxOutput }: ModelRequest,
  reader: Reader,
): string {
  const point = last === undefined ? "" : cachePoint(reader);
  const messages = said.map((message, at) => encodeNext(message, said[at - 1] ?? last, reader));
  const limit =
    maxOutput === undefined || !takes(reader, "maxTokens") ? "" : `,"inferenceConfig":{"maxTokens":${maxOutput}}`;
  return `${point}${messages.join("")}]}]${limit}${toolsOfThePast(reader)}}`;
}

/** A request in which a tool was used must tell of tools, also where none may be called now: it names what was called. */
function toolsOfThePast({ hasTools, calls }: Reader): string {
  if (hasTools || calls.size === 0) return "";
  const names = new Set([...calls.values()].map(({ name }) => safeName(name)));
  return `,"toolConfig":{"tools":[${[...names].map((name) => encodeTool(name, "It cannot be called now.", {})).join()}]}`;
}
