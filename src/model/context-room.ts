import type { Failure } from "../protocol/failure.ts";
import { fitsWindow, replyReserve } from "../protocol/window.ts";
import { verdict } from "./failure/verdict.ts";

export interface Room {
  /** Of the request, about. */
  readonly tokens: number;
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
export function withoutRoom({ tokens, maxOutput, contextWindow, where }: Room): Failure | undefined {
  if (contextWindow === undefined || fitsWindow(tokens, contextWindow, maxOutput)) return undefined;
  return {
    ...verdict("context_overflow", "no-room", "C"),
    loadedWindow: contextWindow,
    unsent: true,
    message: `The request takes about ${tokens} tokens and the reply ${replyReserve(maxOutput)}, and ${where} has the model loaded with a window of ${contextWindow}; nothing was sent.`,
  };
}
