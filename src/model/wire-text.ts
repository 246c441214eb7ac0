import { createHash } from "node:crypto";
import { cleanText } from "../protocol/clean-text.ts";
import { fenced, unfenced } from "../protocol/context.ts";
import { inKeyOrder, isObject, isShallow } from "../protocol/json.ts";
import {
  type ContextPart,
  imageMention,
  type ImagePart,
  isBlank,
  textOf,
  type TextPart,
  type ToolMessage,
  type UserMessage,
} from "../protocol/message.ts";
import { markSteer, neutralise } from "../protocol/steer-marker.ts";
import { UNNAMED_TOOL } from "../protocol/tool.ts";
import { parseOrText } from "./reading.ts";

/** A JSON string that every server reads. Ids, names and words, of which there are many, seldom need JSON.stringify. */
export const quote = (text: string): string =>
  text.length <= SHORT && !SPECIAL.test(text) ? `"${text}"` : JSON.stringify(cleanText(text));

/** Characters. */
const SHORT = 40;

/** What JSON escapes, and what is not clean. */
const SPECIAL = /["\\\p{Cc}\p{Cs}]/u;

/** JSON of any value, its texts cleaned. */
export const encodeValue = (value: unknown): string => JSON.stringify(value, cleanItem);

function orElse(text: string, placeholder: string): string {
  const trimmed = text.trim();
  return trimmed === "" ? placeholder : trimmed;
}

/** What the model says between a receipt and a user, where one must not follow the other (row B10). */
export const BETWEEN = "I have read the results.";

/** The user's own words, then what others added to them. */
export function userContent(message: UserMessage): string {
  let text = unfenced(orElse(message.sent ?? textOf(message), "(empty message)"));
  for (const part of message.parts) if (part.type === "context") text += `\n\n${fenced(part)}`;
  return text;
}

/** One text of a user message. */
export const userPiece = (part: TextPart | ContextPart): string =>
  part.type === "context" ? fenced(part) : unfenced(part.text.trim());

/** A user message as texts and pictures, in order, for servers that refuse a text that shows nothing. */
export function userPieces(message: UserMessage): readonly (string | ImagePart)[] {
  if (message.sent !== undefined || message.parts.every((part) => part.type !== "image")) return [userContent(message)];
  return message.parts.flatMap((part): (string | ImagePart)[] => {
    if (part.type === "image") return [part];
    const text = userPiece(part);
    return isBlank(text) ? [] : [text];
  });
}

/** A receipt for servers that take pictures in one, or behind it: its text does not tell of them. */
export function shownReceipt(
  message: ToolMessage,
  nonce: string,
): { readonly text: string; readonly images: readonly ImagePart[] } {
  return { text: steered(textOf(message), message, nonce), images: imagesIn(message) };
}

/** A receipt as text. */
export function receiptText(message: ToolMessage, nonce: string): string {
  let text = textOf(message);
  for (const image of imagesIn(message)) text += `\n${imageMention(image)}`;
  return steered(text, message, nonce);
}

const imagesIn = ({ parts }: ToolMessage): readonly ImagePart[] => parts.filter((part) => part.type === "image");

/** What the user said meanwhile stands behind the tool's own output, under a marker. */
function steered(output: string, { parts }: ToolMessage, nonce: string): string {
  let text = neutralise(orElse(output, "(no output)"));
  for (const part of parts) if (part.type === "steer") text += `\n\n${markSteer(part.text, nonce)}`;
  return unfenced(text);
}

/** A name the model made up is replayed in letters every server takes: else one bad call would poison the history. */
export const safeName = (name: string): string => orElse(name.replace(/[^\w-]/g, "_").slice(0, 64), UNNAMED_TOOL);

/** A call's id in the letters that most servers take, no longer than `longest` characters; two ids stay two. */
export function legalId(callId: string, longest: number = Infinity): string {
  const legal = callId.replace(/[^\w-]/g, "_");
  if (legal === callId && legal !== "" && legal.length <= longest) return legal;
  const hash = createHash("sha256").update(callId).digest("hex").slice(0, 8);
  return `${orElse(legal.slice(0, longest - 16), "tool")}_${hash}`;
}

/**
 * The same arguments are the same bytes, however the model spaced and ordered them (row C13). What is no JSON object,
 * or nests deeper than they read, is wrapped in one: many servers parse arguments again and would refuse every later
 * request.
 */
export function canonicalArguments(input: string): string {
  if (CANONICAL.test(input)) return input;
  if (input.trim() === "") return "{}";
  const value = parseOrText(input);
  if (!isObject(value) || !isShallow(value)) return JSON.stringify({ malformed: cleanText(input) });
  const text = JSON.stringify(inKeyOrder(value));
  if (UNCLEAN.test(text)) return encodeValue(inKeyOrder(value));
  if (text === input) return text;
  // A number with more digits than a double holds would come back as another one: then the text stays as it was.
  const long = input.match(/\d{16,}/g) ?? [];
  return long.every((digits) => text.includes(digits)) ? text : input.trim();
}

/** Most calls have one argument, a plain text: they need not be parsed to be known. */
const CANONICAL = /^\{"\w+":"[^"\\\p{Cc}\p{Cs}]*"\}$/u;

/** How JSON.stringify writes NUL and lone surrogates. */
const UNCLEAN = /\\u(?:0000|d[89a-f])/;
const cleanItem = (_key: string, item: unknown): unknown => (typeof item === "string" ? cleanText(item) : item);
