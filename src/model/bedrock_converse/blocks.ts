import {
  type AssistantMessage,
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
import { isAtHome } from "../provenance.ts";
import { canonicalArguments, legalId, quote, safeName, shownReceipt, userPieces } from "../wire-text.ts";

/** The blocks of one message; a text that shows nothing is never one, for the API refuses it. */
export function blocksOf(message: Message, reader: Reader): string {
  switch (message.role) {
    case "user":
      return userBlocks(message);
    case "tool":
      return resultBlock(message, reader);
    case "assistant":
      return assistantBlocks(message, reader);
  }
}

const textBlock = (text: string): string => `{"text":${quote(text)}}`;

const userBlocks = (message: UserMessage): string =>
  userPieces(message)
    .map((piece) => (typeof piece === "string" ? textBlock(piece) : imageBlock(piece)))
    .join();

const DATA_URL = /^data:image\/(jpeg|png|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The API fetches nothing: a picture at an address is told as text. */
function imageBlock(part: ImagePart): string {
  const [, format, bytes] = DATA_URL.exec(part.url) ?? [];
  if (format !== undefined && bytes !== undefined)
    return `{"image":{"format":"${format}","source":{"bytes":"${bytes}"}}}`;
  return textBlock(part.url.startsWith("data:") ? "[image of a kind that cannot be shown]" : imageMention(part));
}

/** What the API takes as the id of a call, characters. */
const LONGEST_ID = 64;

/** Whose results may say that they are failures (docs.aws.amazon.com: ToolResultBlock). */
const KNOWS_STATUS = /claude|nova/i;

function resultBlock(message: ToolMessage, reader: Reader): string {
  const { text, images } = shownReceipt(message, reader.nonce);
  let content = textBlock(text);
  for (const image of images) content += `,${imageBlock(image)}`;
  const failed = message.status !== "ok" && KNOWS_STATUS.test(reader.model) ? `,"status":"error"` : "";
  return `{"toolResult":{"toolUseId":"${legalId(message.callId, LONGEST_ID)}","content":[${content}]${failed}}}`;
}

/** Texts stand as they came: what a later thought was signed behind must not change. A thought is never the last block. */
function assistantBlocks(message: AssistantMessage, reader: Reader): string {
  const blocks: string[] = [];
  let end = 0;
  for (const part of message.parts) {
    if (part.type === "reasoning") blocks.push(...thought(part, reader));
    else if (part.type === "tool-call") end = blocks.push(useBlock(part));
    else if (!isBlank(part.text)) end = blocks.push(textBlock(part.text));
  }
  return end === 0 ? textBlock("(empty)") : blocks.slice(0, end).join();
}

const useBlock = ({ callId, name, input }: ToolCallPart): string =>
  `{"toolUse":{"toolUseId":"${legalId(callId, LONGEST_ID)}","name":"${safeName(name)}","input":${canonicalArguments(input)}}}`;

/** A thought goes back to the model it is of, with its seal; one that was never signed goes to nobody. */
function thought({ text, opaque, provenance }: ReasoningPart, reader: Reader): readonly string[] {
  if (!isAtHome(provenance, reader)) return [];
  const { signature, redactedContent } = opaque ?? {};
  if (typeof redactedContent === "string")
    return [`{"reasoningContent":{"redactedContent":${quote(redactedContent)}}}`];
  if (typeof signature !== "string") return [];
  return [`{"reasoningContent":{"reasoningText":{"text":${quote(text)},"signature":${quote(signature)}}}}`];
}
