/** Kept free for the reply, tokens (row C15). */
export const REPLY_TOKENS = 4_096;

/** What a reply has for sure, where none of more than `maxOutput` tokens is asked for. */
export const replyReserve = (maxOutput: number = REPLY_TOKENS): number => Math.min(maxOutput, REPLY_TOKENS);

/** Whether a request of so many tokens and a reply have room in a window. */
export const fitsWindow = (tokens: number, window: number, maxOutput: number | undefined): boolean =>
  tokens + replyReserve(maxOutput) <= window;

/** Of English text and JSON; other texts have fewer, so this asks for too little rather than too much. */
const BYTES_PER_TOKEN = 4;

/** What a picture counts for, however many bytes it has (hermes.md §1). */
export const PICTURE_TOKENS = 1_600;

/** As many bytes as a text of its tokens has. */
export const PICTURE_BYTES: number = PICTURE_TOKENS * BYTES_PER_TOKEN;

/** About how many tokens so many bytes of a request are. */
export const roughTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** A conversation below this many tokens is left as it is, however small the share (hermes.md §13.1). */
const LEAST_THRESHOLD = 64_000;

/** So many tokens of the window may be in use before less of the history is sent; more than the window where it is small. */
export const compactionThreshold = (window: number, share = 0.5): number =>
  Math.max(Math.floor(window * share), LEAST_THRESHOLD);

/** Left free beside the reply, for what estimates miss, tokens (nanobot.md §5.3, §8). */
const MARGIN = 1_024;

/** What a window leaves beside so many tokens of it: of a request for the reply, of a reply for the request. */
export const roomBeside = (tokens: number, window: number): number => window - tokens - MARGIN;

/** After so many compactions in a row that did not help, none is made for pressure any more (hermes.md §13.1). */
export const MAX_STRIKES = 2;
