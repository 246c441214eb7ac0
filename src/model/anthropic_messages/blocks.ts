import {
  type AssistantMessage,
  imageData,
  imageMention,
  type ImagePart,
  isBlank,
  type Message,
  type ReasoningPart,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from "../../protocol/message.ts";
import type { Reader } from "../dialect.ts";
import { canonicalArguments, legalId, quote, safeName, shownReceipt, userPieces } from "../wire-text.ts";
import { isSameModel } from "./models.ts";

/** The blocks of one message, the last without its last brace: what follows may still mark it for the cache. */
export function blocksOf(message: Message, reader: Reader): string {
  switch (message.role) {
    case "user":
      return userBlocks(message);
    case "tool":
      return resultBlock(message, reader.nonce);
    case "assistant":
      return assistantBlocks(message, reader);
  }
}

const textBlock = (text: string): string => `{"type":"text","text":${quote(text)}`;

const userBlocks = (message: UserMessage): string =>
  userPieces(message)
    .map((piece) => (typeof piece === "string" ? textBlock(piece) : imageBlock(piece)))
    .join("},");

/** The pictures that the API takes as bytes. */
const TAKEN = /^image\/(?:jpeg|png|gif|webp)$/;

/** What is no picture to the API is told as text. */
function imageBlock(part: ImagePart): string {
  const { mediaType = "", base64 = "" } = imageData(part.url) ?? {};
  if (TAKEN.test(mediaType) && base64 !== "")
    return `{"type":"image","source":{"type":"base64","media_type":"${mediaType}","data":"${base64}"}`;
  if (/^https?:/i.test(part.url)) return `{"type":"image","source":{"type":"url","url":${quote(part.url)}}`;
  return textBlock(imageMention(part));
}

/**
 * What the user said meanwhile stands inside the last receipt: receipts come one by one, and nothing may stand between
 * them.
 */
function resultBlock(message: ToolMessage, nonce: string): string {
  const { text, images } = shownReceipt(message, nonce);
  const shown = images.map((image) => `${imageBlock(image)}}`);
  const content = shown.length === 0 ? quote(text) : `[${textBlock(text)}},${shown.join()}]`;
  const failed = message.status === "ok" ? "" : `,"is_error":true`;
  return `{"type":"tool_result","tool_use_id":"${legalId(message.callId)}","content":${content}${failed}`;
}

/** Texts stand as they came: what a later thought was signed behind must not change. */
function assistantBlocks(message: AssistantMessage, reader: Reader): string {
  const blocks: string[] = [];
  let end = 0;
  for (const part of message.parts) {
    if (part.type === "text" && !isBlank(part.text)) blocks.push(textBlock(part.text));
    if (part.type === "tool-call") blocks.push(useBlock(part));
    if (part.type === "reasoning") blocks.push(...thought(part, reader));
    else end = blocks.length;
  }
  return end === 0 ? textBlock("(empty)") : blocks.slice(0, end).join("},");
}

function useBlock({ callId, name, input }: ToolCallPart): string {
  return `{"type":"tool_use","id":"${legalId(callId)}","name":"${safeName(name)}","input":${canonicalArguments(input)}`;
}

/** Servers that sign no thought, and want it back as it was. */
const UNSIGNED = /deepseek|moonshot|kimi/;

/** A thought goes back to the model it is of, with its seal; what was never signed is no thought to anybody else. */
function thought(part: ReasoningPart, reader: Reader): readonly string[] {
  if (!isOf(part, reader)) return [];
  const { signature, data } = part.opaque ?? {};
  if (typeof data === "string") return [`{"type":"redacted_thinking","data":${quote(data)}`];
  const text = `{"type":"thinking","thinking":${quote(part.text)}`;
  if (typeof signature === "string") return [`${text},"signature":${quote(signature)}`];
  return UNSIGNED.test(reader.host) ? [text] : [];
}

const isOf = ({ provenance }: ReasoningPart, { provider, model }: Reader): boolean =>
  provenance?.provider === provider && isSameModel(provenance.model, model);

/** Whether a message begins with a thought when this reader is sent it. */
export const beginsWithThought = (message: AssistantMessage, reader: Reader): boolean =>
  /^\{"type":"(?:redacted_)?thinking"/.test(assistantBlocks(message, reader));
