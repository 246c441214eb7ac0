/** Kept free for the reply, tokens (row C15). */
export const REPLY_TOKENS = 4_096;

/** Of English text and JSON; other texts have fewer, so this asks for too little rather than too much. */
export const BYTES_PER_TOKEN = 4;

/** About how many tokens so many bytes of a request are. */
export const roughTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);
