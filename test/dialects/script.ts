import type { Step } from "../support/wire-script.ts";

/** The api modes that the fakes speak. */
export type Mode = "chat_completions" | "anthropic_messages" | "bedrock_converse" | "codex_responses" | "gemini";

/** What a model does with one request, in no dialect's words. */
export type Act = ReplyAct | RefusalAct | RawAct;

export interface ReplyAct {
  readonly do: "reply";
  /** In the order in which they are sent. */
  readonly parts: readonly ScriptPart[];
  /** By default `calls` when there are calls, else `stop`; null sends none. */
  readonly finish?: ScriptFinish | null;
  /** Null sends none. */
  readonly usage?: ScriptUsage | null;
  /** All parts begin before the first goes on, and their pieces take turns, where the dialect knows places. */
  readonly interleaved?: true;
  /** Where the stream breaks. Absent: it comes to its end. */
  readonly broken?: Break;
  /** How the bytes of the stream look. */
  readonly framing?: Framing;
  /** Between the events of the reply stand some that no client knows, and fields that nobody has announced. */
  readonly strange?: true;
  /** In one piece, though a stream was asked for. */
  readonly whole?: true;
  /** The request may have a head that continues no earlier one. */
  readonly newHead?: true;
}

/** An HTTP status with the body that the dialect's servers send for it. */
export interface RefusalAct {
  readonly do: "refuse";
  readonly trouble: Trouble;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As it stands, for what only one dialect has. */
export interface RawAct {
  readonly do: "raw";
  readonly step: Step;
}

/** A text, or the pieces it arrives in. */
export type Pieces = string | readonly string[];

export type ScriptPart = TextScript | ReasoningScript | CallScript;

export interface TextScript {
  readonly type: "text";
  readonly text: Pieces;
}

/**
 * The dialect's own seal (signature, encrypted item, thought signature) comes with it, and the police knows it again.
 * `hidden`: the seal comes alone, the text is nobody's to read.
 */
export interface ReasoningScript {
  readonly type: "reasoning";
  readonly text: Pieces;
  readonly hidden?: true;
}

export interface CallScript {
  readonly type: "call";
  /** By default one that the dialect's servers would give; null sends none. */
  readonly id?: string | null;
  readonly name: string;
  /** A value to be written as JSON, or the raw text, or the pieces it arrives in. */
  readonly input: unknown;
  /** It is sent under the index of the call before it, as some servers do. */
  readonly sameIndex?: true;
}

/** `refusal`: the model will not; `filter`: somebody else did not let it; `{ word }`: as it stands. */
export type ScriptFinish = "stop" | "calls" | "length" | "refusal" | "filter" | { readonly word: string };

/** Tokens. Cache reads and writes are parts of `input`, `reasoning` is a part of `output`. */
export interface ScriptUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** Written to live for five minutes, or for as long as the dialect keeps things. */
  readonly cacheWrite?: number;
  /** Of `cacheWrite`: what lives for an hour. */
  readonly cacheWriteHour?: number;
  readonly reasoning?: number;
}

/** After so many pieces of content (texts, reasonings and inputs together). */
export interface Break {
  readonly after: number;
  readonly by: "cut" | "reset" | "stall" | "pause" | Trouble;
}

export interface Framing {
  /** The lines of an event stream end so. */
  readonly lineEnd?: "\r\n" | "\r";
  /** A byte order mark stands before it. */
  readonly bom?: true;
  /** Comments and pings stand between the events. */
  readonly comments?: true;
  /** The bytes leave in frames of this length. */
  readonly bytes?: number;
}

export type Trouble =
  | "bad_request"
  | "bad_key"
  | "billing"
  | "forbidden"
  | "not_found"
  | "context_too_long"
  | "rate_limit"
  | "server_error"
  | "overloaded";

export const DEFAULT_USAGE: ScriptUsage = { input: 20, output: 5 };

type ReplyOptions = Omit<ReplyAct, "do" | "parts">;

export const replies = (parts: readonly ScriptPart[], options: ReplyOptions = {}): ReplyAct => ({
  ...options,
  do: "reply",
  parts,
});

export const says = (text: Pieces, options: ReplyOptions = {}): ReplyAct => replies([{ type: "text", text }], options);

export const calls = (name: string, input: unknown, more: Partial<CallScript> = {}): CallScript => ({
  ...more,
  type: "call",
  name,
  input,
});

export const thinks = (text: Pieces): ReasoningScript => ({ type: "reasoning", text });

export const refuses = (trouble: Trouble, headers: Readonly<Record<string, string>> = {}): RefusalAct => ({
  do: "refuse",
  trouble,
  headers,
});

export const raw = (step: Step): RawAct => ({ do: "raw", step });

export const piecesOf = (pieces: Pieces): readonly string[] => (typeof pieces === "string" ? [pieces] : pieces);

export const textOfPieces = (pieces: Pieces): string => piecesOf(pieces).join("");

/** The raw input of a call in the pieces it arrives in: a single text comes in two. */
export function inputPieces(input: unknown): readonly string[] {
  if (Array.isArray(input) && input.every((piece) => typeof piece === "string")) return input;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const half = Math.ceil(text.length / 2);
  return half < text.length ? [text.slice(0, half), text.slice(half)] : [text];
}

export const inputText = (input: unknown): string => inputPieces(input).join("");

/** The finish that is sent, null for none. */
export const finishOf = ({ parts, finish }: ReplyAct): ScriptFinish | null =>
  finish === undefined ? (parts.some(({ type }) => type === "call") ? "calls" : "stop") : finish;
