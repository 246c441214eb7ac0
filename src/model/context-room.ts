import type { Failure } from "../protocol/failure.ts";
import { REPLY_TOKENS, roughTokens } from "../protocol/window.ts";
import { verdict } from "./failure/verdict.ts";

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
  const request = roughTokens(bytes);
  const reply = Math.min(maxOutput, REPLY_TOKENS);
  if (contextWindow === undefined || request + reply <= contextWindow) return undefined;
  return {
    ...verdict("context_overflow", "no-room", "C"),
    loadedWindow: contextWindow,
    unsent: true,
    message: `The request takes about ${request} tokens and the reply ${reply}, and ${where} has the model loaded with a window of ${contextWindow}; nothing was sent.`,
  };
}
