/** Kept free for the reply, tokens (row C15). */
export const REPLY_TOKENS = 4_096;

/** Of English text and JSON; other texts have fewer, so this asks for too little rather than too much. */
export const BYTES_PER_TOKEN = 4;

/** About how many tokens so many bytes of a request are. */
export const roughTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** A conversation below this many tokens is left as it is, however small the share (hermes.md §13.1). */
const LEAST_THRESHOLD = 64_000;

/** So many tokens of the window may be in use before less of the history is sent; more than the window where it is small. */
export const compactionThreshold = (window: number, share = 0.5): number =>
  Math.max(Math.floor(window * share), LEAST_THRESHOLD);
