import type { Failure } from "../protocol/failure.ts";
import { verdict } from "./failure/rules.ts";

/** Kept free for the reply, tokens (row C15). */
const REPLY_TOKENS = 4_096;

/** Of English text and JSON; other texts have fewer, so this asks for too little rather than too much. */
const BYTES_PER_TOKEN = 4;

export interface Room {
  /** Of the request. */
  readonly bytes: number;
  /** The longest reply that is asked for, tokens. */
  readonly maxOutput: number | undefined;
  /** Tokens; undefined: unknown. */
  readonly contextWindow: number | undefined;
  readonly where: string;
}

/**
 * Why a request is not sent to a server whose window is known to be too small for it and a reply: such a server would
 * cut the beginning off without a word (row C15). Undefined where it fits or nothing is known.
 */
export function withoutRoom({ bytes, maxOutput = REPLY_TOKENS, contextWindow, where }: Room): Failure | undefined {
  const request = Math.ceil(bytes / BYTES_PER_TOKEN);
  const reply = Math.min(maxOutput, REPLY_TOKENS);
  if (contextWindow === undefined || request + reply <= contextWindow) return undefined;
  return {
    ...verdict("context_overflow", "C"),
    loadedWindow: contextWindow,
    message: `The request takes about ${request} tokens and the reply ${reply}, and ${where} has the model loaded with a window of ${contextWindow}; nothing was sent.`,
  };
}
