import type { SkillRoot } from "./skill.ts";

/** The conversation vocabulary every layer speaks: plain, JSON-safe data with ordered parts (design §3). */

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** The model's words for not answering, which the OpenAI shape keeps apart from an answer. */
  readonly refusal?: true;
  /** What the provider sent beside the text (which part of the reply it is), under its own names, kept as it came. */
  readonly opaque?: Readonly<Record<string, unknown>>;
  readonly provenance?: Provenance;
}

/** What came with a message or a call from elsewhere, under its own names: handed back with it, and never sent. */
type Extra = Readonly<Record<string, unknown>>;

/** Who made a part: what is opaque in it is replayed only where it belongs. */
export interface Provenance {
  readonly provider: string;
  readonly model: string;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** What the provider sent beside the text (signed blocks, encrypted items), under its own names, kept as it came. */
  readonly opaque?: Readonly<Record<string, unknown>>;
  readonly provenance?: Provenance;
}

/** A picture. */
export interface ImagePart {
  readonly type: "image";
  /** An http(s) address, or the picture itself as `data:image/…;base64,…`. */
  readonly url: string;
  /** How closely the model is to look, in the word of the wire: `low`, `high`, … */
  readonly detail?: string;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly callId: string;
  readonly name: string;
  /** Raw JSON text as the model wrote it. */
  readonly input: string;
  /** What the provider sent beside the call (thought signatures), under its own names, kept as it came. */
  readonly opaque?: Readonly<Record<string, unknown>>;
  readonly provenance?: Provenance;
  readonly extra?: Extra;
}

/** What the user said while tools ran; rides on a receipt, outside the tool's own output. */
export interface SteerPart {
  readonly type: "steer";
  readonly steerId: string;
  readonly text: string;
}

/**
 * What somebody else adds to a user message: the time and channel, recalled memory, a plug-in's advice (rows A11, A12).
 * The model is sent it fenced, with the same bytes each time; search, titles and export see the user's own parts alone.
 */
export interface ContextPart {
  readonly type: "context";
  /** Who says it. */
  readonly source: string;
  readonly text: string;
  /** It is a skill that the user has named, and where it lies. */
  readonly skill?: SkillRoot;
}

/** What a message knows of words that do not stand in it any more (taint.ts). */
interface Heard {
  /** What brought others' words with it, or that it was recorded elsewhere. */
  readonly tainted?: string;
}

export interface UserMessage extends Heard {
  readonly role: "user";
  readonly parts: readonly (TextPart | ImagePart | ContextPart)[];
  /** It joined a turn that was running (rows B10, B14). */
  readonly midTurn?: true;
  /**
   * What the model is sent instead of the text: with the prefixes of a gateway or a voice front (row A15). Kept beside
   * the text, so that every later request has the same bytes; search, titles and export see the text alone.
   */
  readonly sent?: string;
  readonly extra?: Extra;
}

export interface AssistantMessage extends Heard {
  readonly role: "assistant";
  readonly parts: readonly (TextPart | ReasoningPart | ToolCallPart)[];
  /** A stop or the time limit cut the reply off before it was complete (row B15). */
  readonly interrupted?: true;
  readonly extra?: Extra;
}

export type ReceiptStatus = "ok" | "error" | "cancelled" | "denied" | "interrupted";

/** A file as a call has left it known to the model: read, or written whole or in part. It stands with the receipt. */
export interface KnownFile {
  /** Absolute, its links resolved. */
  readonly path: string;
  /** The same text means the same bytes. */
  readonly version: string;
  /** The lines that were shown, from 1; absent: the call has written the file, and nothing of it was shown. */
  readonly shown?: { readonly first: number; readonly last: number };
}

/** A receipt: the one answer to one tool call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly status: ReceiptStatus;
  readonly parts: readonly (TextPart | ImagePart | SteerPart)[];
  /** Files that the call has shown or written: kept for what later calls may do with them, and never sent. */
  readonly files?: readonly KnownFile[];
  readonly extra?: Extra;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

export const userText = (text: string): UserMessage => ({ role: "user", parts: [{ type: "text", text }] });

export const assistantText = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }],
});

const VISIBLE = /[^\s\u200B-\u200D\u2060\uFEFF]/u;

/** Shows nothing: white space and characters without a width. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text);

/** The visible text of a message, parts joined as they come. */
export function textOf(message: Message): string {
  let text = "";
  for (const part of message.parts) if (part.type === "text") text += part.text;
  return text;
}

export function reasoningOf(message: Message): string {
  let text = "";
  for (const part of message.parts) if (part.type === "reasoning") text += part.text;
  return text;
}

export const callsOf = (message: AssistantMessage): ToolCallPart[] =>
  message.parts.filter((part) => part.type === "tool-call");

/** How a picture is told where only text can stand. */
export function imageMention({ url }: ImagePart): string {
  const data = imageData(url);
  return `[image: ${data === undefined ? url : data.mediaType}]`;
}

/** The picture in a data URL; undefined for any other address. */
export function imageData(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const [, mediaType, base64] = /^data:(image\/[\w.+-]+);base64,([\w+/=]*)$/iu.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType: mediaType.toLowerCase(), base64 };
}

/** Larger than any camera's, bytes: what is beyond is no picture for a conversation. */
export const LARGEST_PICTURE = 50_000_000;

/** How many bytes of picture data an address holds, about. */
export const pictureBytes = ({ url }: ImagePart): number =>
  url.startsWith("data:") ? Math.floor(url.length * 0.75) : 0;

export const withSteer = (receipt: ToolMessage, steer: SteerPart): ToolMessage => ({
  ...receipt,
  parts: [...receipt.parts, steer],
});

export const withContext = (message: UserMessage, contexts: readonly ContextPart[]): UserMessage => ({
  ...message,
  parts: [...message.parts, ...contexts],
});
