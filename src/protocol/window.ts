/** Kept free for the reply, tokens (row C15). */
export const REPLY_TOKENS = 4_096;

/** What a reply has for sure, where none of more than `maxOutput` tokens is asked for. */
export const replyReserve = (maxOutput: number = REPLY_TOKENS): number => Math.min(maxOutput, REPLY_TOKENS);

/** Whether a request of so many tokens and a reply have room in a window. */
export const fitsWindow = (tokens: number, window: number, maxOutput: number | undefined): boolean =>
  tokens + replyReserve(maxOutput) <= window;

/** Of English text and JSON; other texts have fewer, so this asks for too little rather than too much. */
export const BYTES_PER_TOKEN = 4;

/** About how many tokens so many bytes of a request are. */
export const roughTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** A conversation below this many tokens is left as it is, however small the share (hermes.md §13.1). */
const LEAST_THRESHOLD = 64_000;

/** So many tokens of the window may be in use before less of the history is sent; more than the window where it is small. */
export const compactionThreshold = (window: number, share = 0.5): number =>
  Math.max(Math.floor(window * share), LEAST_THRESHOLD);

/** Left free beside the reply, for what estimates miss, tokens (nanobot.md §5.3, §8). */
const MARGIN = 1_024;

/** What a request may take. */
export interface InputRoom {
  /** Tokens the model can see; undefined: nobody knows. */
  readonly window: number | undefined;
  /** The longest reply, tokens. */
  readonly maxOutput?: number | undefined;
  /** The longest request, where somebody has set it. */
  readonly limit?: number | undefined;
}

/** How many tokens a request may have; undefined where nobody knows, or where nothing would be left. */
export function inputRoom({ window, maxOutput = REPLY_TOKENS, limit }: InputRoom): number | undefined {
  if (window === undefined || window <= 0) return undefined;
  const room = limit !== undefined && limit > 0 ? limit : window - maxOutput - MARGIN;
  return room > 0 ? room : undefined;
}

/** After so many compactions in a row that did not help, none is made for pressure any more (hermes.md §13.1). */
export const MAX_STRIKES = 2;
