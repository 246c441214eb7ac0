import { createHash } from "node:crypto";
import { fenced } from "../../protocol/context.ts";
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
import { canonicalArguments, orElse, quote, receiptText, safeName, userContent } from "../wire-text.ts";

/** The blocks of one message; a text that shows nothing is never one, for the API refuses it. */
export function blocksOf(message: Message, reader: Reader): readonly string[] {
  switch (message.role) {
    case "user":
      return userBlocks(message);
    case "tool":
      return [resultBlock(message, reader)];
    case "assistant":
      return assistantBlocks(message, reader);
  }
}

const textBlock = (text: string): string => `{"text":${quote(text)}}`;

function userBlocks(message: UserMessage): readonly string[] {
  if (message.sent !== undefined || message.parts.every((part) => part.type !== "image"))
    return [textBlock(userContent(message))];
  return message.parts.flatMap((part) => {
    if (part.type === "image") return [imageBlock(part)];
    const text = part.type === "context" ? fenced(part) : part.text.trim();
    return isBlank(text) ? [] : [textBlock(text)];
  });
}

const DATA_URL = /^data:image\/(jpeg|png|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The API fetches nothing: a picture at an address is told as text. */
function imageBlock(part: ImagePart): string {
  const [, format, bytes] = DATA_URL.exec(part.url) ?? [];
  if (format !== undefined && bytes !== undefined)
    return `{"image":{"format":"${format}","source":{"bytes":"${bytes}"}}}`;
  return textBlock(part.url.startsWith("data:") ? "[image of a kind that cannot be shown]" : imageMention(part));
}

/** Whose results may say that they are failures (docs.aws.amazon.com: ToolResultBlock). */
const KNOWS_STATUS = /claude|nova/i;

function resultBlock(message: ToolMessage, reader: Reader): string {
  const images = message.parts.filter((part) => part.type === "image").map(imageBlock);
  const parts = message.parts.filter((part) => part.type !== "image");
  const content = [textBlock(receiptText({ ...message, parts }, reader.nonce)), ...images].join();
  const failed = message.status !== "ok" && KNOWS_STATUS.test(reader.model) ? `,"status":"error"` : "";
  return `{"toolResult":{"toolUseId":"${wireId(message.callId)}","content":[${content}]${failed}}}`;
}

/** Texts stand as they came: what a later thought was signed behind must not change. A thought is never the last block. */
function assistantBlocks(message: AssistantMessage, reader: Reader): readonly string[] {
  const end = message.parts.findLastIndex((part) => part.type !== "reasoning" && !isBlankText(part));
  const blocks = message.parts.slice(0, end + 1).flatMap((part) => {
    switch (part.type) {
      case "text":
        return isBlank(part.text) ? [] : [textBlock(part.text)];
      case "reasoning":
        return thought(part, reader);
      case "tool-call":
        return [useBlock(part)];
    }
  });
  return blocks.length === 0 ? [textBlock("(empty)")] : blocks;
}

const isBlankText = (part: AssistantMessage["parts"][number]): boolean => part.type === "text" && isBlank(part.text);

const useBlock = ({ callId, name, input }: ToolCallPart): string =>
  `{"toolUse":{"toolUseId":"${wireId(callId)}","name":"${safeName(name)}","input":${canonicalArguments(input)}}}`;

/** A thought goes back to the model it is of, with its seal; one that was never signed goes to nobody. */
function thought({ text, opaque, provenance }: ReasoningPart, reader: Reader): readonly string[] {
  if (!isAtHome(provenance, reader)) return [];
  const { signature, redactedContent } = opaque ?? {};
  if (typeof redactedContent === "string")
    return [`{"reasoningContent":{"redactedContent":${quote(redactedContent)}}}`];
  if (typeof signature !== "string") return [];
  return [`{"reasoningContent":{"reasoningText":{"text":${quote(text)},"signature":${quote(signature)}}}}`];
}

/** A call's id in the letters, and of the length, that the API takes; two ids stay two. */
function wireId(callId: string): string {
  const legal = callId.replace(/[^\w-]/g, "_");
  if (legal === callId && legal !== "" && legal.length <= 64) return legal;
  return `${orElse(legal.slice(0, 48), "tool")}_${createHash("sha256").update(callId).digest("hex").slice(0, 8)}`;
}
