import type { Message } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { cacheLayout, cacheMark } from "../cache-policy.ts";
import type { HeadOpening, Reader } from "../dialect.ts";
import { sanitiseSchema } from "../tool-schema.ts";
import { encodeValue, quote, safeName } from "../wire-text.ts";
import { blocksOf } from "./blocks.ts";
import { wireModel } from "./models.ts";
import { encodeLimits } from "./limits.ts";

/** The start of a body: the model and its tools, then the system prompt; the end of each is marked for the cache. */
export function encodeOpening({ system, tools, streaming, reader }: HeadOpening): readonly [string, string] {
  const mark = markFor(reader);
  const list = tools.length === 0 ? "" : `"tools":[${encodeTools(tools)}${mark}}],`;
  const prompt = system === "" ? "" : `"system":[{"type":"text","text":${quote(system)}${mark}}],`;
  return [`{"model":${quote(wireModel(reader))},"stream":${streaming},${list}`, `${prompt}"messages":[`];
}

/** Without the last brace. Of two tools of one name the first is meant: the API refuses both. */
function encodeTools(tools: readonly ToolSpec[]): string {
  const byName = new Map(tools.toReversed().map((tool) => [safeName(tool.name), tool]));
  const listed = [...byName].toReversed().map(([name, { description, parameters }]) => {
    const about = description.trim() === "" ? "" : `"description":${quote(description)},`;
    return `{"name":"${name}",${about}"input_schema":${encodeValue(sanitiseSchema(parameters))}`;
  });
  return listed.join("},");
}

/** At most three stand in a request, of the four that may: behind the tools, the system prompt, and all that was said. */
const markFor = (reader: Reader): string =>
  cacheLayout("anthropic_messages", reader) === undefined ? "" : cacheMark(reader);

type WireRole = "user" | "assistant";

/** Receipts are the user's. */
const roleOf = ({ role }: Message): WireRole => (role === "assistant" ? "assistant" : "user");

/**
 * What the head grows by: neighbours of one role share a message. The last block stays open, for the next message or
 * for the mark of the tail.
 */
export function encodeMessage(message: Message, before: Message | undefined, reader: Reader): string {
  const role = roleOf(message);
  const isNext = before !== undefined && roleOf(before) === role;
  const close = before === undefined ? "" : isNext ? "}," : "}]},";
  return `${close}${isNext ? "" : `{"role":"${role}","content":[`}${blocksOf(message, reader)}`;
}

/** What belongs to this attempt alone: the mark behind all that stays, what is `said` in private, choice and limits. */
export function encodeTail(
  said: readonly Message[],
  last: Message | undefined,
  request: ModelRequest,
  reader: Reader,
): string {
  const mark = last === undefined ? "" : markFor(reader);
  const messages = said.map((message, at) => encodeMessage(message, said[at - 1] ?? last, reader));
  const end = last === undefined && said.length === 0 ? "]" : "}]}]";
  return `${mark}${messages.join("")}${end}${encodeChoice(request, reader)}${encodeLimits(said, request, reader)}}`;
}

const NO_CALLS = `,"tool_choice":{"type":"none"}`;

/** Calls of the past are refused where no tool is offered: then one stands there that cannot be called. */
const NO_TOOLS = `,"tools":[{"name":"none","description":"Nothing can be called.","input_schema":{"type":"object","properties":{}}}]${NO_CALLS}`;

function encodeChoice({ noTools }: ModelRequest, { hasTools, calls }: Reader): string {
  if (!hasTools) return calls.size > 0 ? NO_TOOLS : "";
  return noTools ? NO_CALLS : "";
}
