import { createHash } from "node:crypto";
import type { ImagePart, Message, ToolMessage, UserMessage } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { type HeadOpening, type Reader, takes } from "../dialect.ts";
import { sanitiseSchema } from "../tool-schema.ts";
import { encodeValue, quote, shownReceipt, userContent, userPiece } from "../wire-text.ts";
import { assistantItems } from "./assistant-items.ts";
import { wireCallId } from "./call-id.ts";
import { encodeThinking } from "./thinking.ts";

/** The start of a body: the model, its tools, and that nothing is stored; then the instructions. */
export function encodeOpening({ system, tools, streaming, reader }: HeadOpening): readonly [string, string] {
  const list = tools.length === 0 ? "" : `"tools":[${tools.map(encodeTool).join()}],`;
  const store = takes(reader, "store") ? `"store":false,` : "";
  const shared = `{"model":${quote(reader.model)},"stream":${streaming},${store}${encodeThinking(reader)}${list}`;
  const instructions = system === "" ? "" : `"instructions":${quote(system.trim())},`;
  const key = takes(reader, "prompt_cache_key") ? `"prompt_cache_key":${quote(cacheKey(reader.nonce))},` : "";
  return [shared, `${instructions}${key}"input":[`];
}

/** The same for a whole session; nobody learns the session's code from it. */
const cacheKey = (nonce: string): string =>
  createHash("sha256").update(`prompt cache ${nonce}`).digest("hex").slice(0, 32);

/** Not strict: that would need schemas in which all is required. */
const encodeTool = ({ name, description, parameters }: ToolSpec): string =>
  `{"type":"function","name":${quote(name)},"description":${quote(description)},"strict":false,"parameters":${encodeValue(sanitiseSchema(parameters))}}`;

/** What the head grows by. Every message that is sent is at least one item. */
export function encodeNext(message: Message, before: Message | undefined, reader: Reader): string {
  const items = itemsOf(message, reader);
  return before === undefined || items === "" ? items : `,${items}`;
}

/** What belongs to this attempt alone: what is `said` in private, its tool choice, its output limit, the brackets. */
export function encodeTail(
  said: readonly Message[],
  last: Message | undefined,
  { noTools, maxOutput }: ModelRequest,
  reader: Reader,
): string {
  const items = said.map((message, at) => encodeNext(message, said[at - 1] ?? last, reader));
  const choice = noTools && reader.hasTools ? `,"tool_choice":"none"` : "";
  const asked = takes(reader, "max_output_tokens") ? maxOutput : undefined;
  const limit = asked === undefined ? "" : `,"max_output_tokens":${Math.max(asked, LEAST_OUTPUT)}`;
  return `${items.join("")}]${choice}${limit}}`;
}

/** Less is refused, tokens. */
const LEAST_OUTPUT = 16;

function itemsOf(message: Message, reader: Reader): string {
  switch (message.role) {
    case "user":
      return `{"role":"user","content":${userBlocks(message)}}`;
    case "tool":
      return `{"type":"function_call_output","call_id":${quote(wireCallId(message.callId))},"output":${outputOf(message, reader.nonce)}}`;
    case "assistant":
      return assistantItems(message, reader);
  }
}

function userBlocks(message: UserMessage): string {
  if (message.sent !== undefined || message.parts.every((part) => part.type !== "image"))
    return quote(userContent(message));
  const shown = message.parts.filter((part) => part.type === "image" || part.text.trim() !== "");
  return `[${shown.map(userBlock).join()}]`;
}

function userBlock(part: UserMessage["parts"][number]): string {
  return part.type === "image" ? imageBlock(part) : textBlock(userPiece(part));
}

const textBlock = (text: string): string => `{"type":"input_text","text":${quote(text)}}`;

function imageBlock({ url, detail }: ImagePart): string {
  const look = detail === undefined ? "" : `,"detail":${quote(detail)}`;
  return `{"type":"input_image","image_url":${quote(url)}${look}}`;
}

/** A receipt can show its pictures here. */
function outputOf(message: ToolMessage, nonce: string): string {
  const { text, images } = shownReceipt(message, nonce);
  return images.length === 0 ? quote(text) : `[${textBlock(text)},${images.map(imageBlock).join()}]`;
}
