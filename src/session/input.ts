import { isBlank } from "../protocol/message.ts";

/** What a person or program hands in as a message, before anything is kept. */
export type Input = { readonly type: "text"; readonly text: string } | { readonly type: "blank" };

/**
 * Makes text safe to store and to send (row A4): lone surrogates become U+FFFD, NUL is dropped. Text that shows nothing
 * is refused: an empty user message makes every later request of a session illegal.
 */
export function readInput(raw: string): Input {
  const text = raw.toWellFormed().replaceAll("\0", "");
  return isBlank(text) ? { type: "blank" } : { type: "text", text };
}
