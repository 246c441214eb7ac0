/** What a person or program hands in as a message, before anything is kept. */
export type Input = { readonly type: "text"; readonly text: string } | { readonly type: "blank" };

/** Characters that show nothing: white space and the zero-width family. */
const INVISIBLE = /[\s\u200B-\u200D\u2060\uFEFF]/gu;

/**
 * Makes text safe to store and to send (row A4): lone surrogates become U+FFFD, NUL is dropped. Text that shows nothing
 * is refused: an empty user message makes every later request of a session illegal.
 */
export function readInput(raw: string): Input {
  const text = raw.toWellFormed().replaceAll("\0", "");
  return text.replace(INVISIBLE, "") === "" ? { type: "blank" } : { type: "text", text };
}
