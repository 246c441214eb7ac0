import type { KnownValues } from "./known.ts";
import { redact, spottedIn } from "./redact.ts";

/** Characters that wait at most for the end of a line, of a word, of a key in a file. */
const LONGEST_LINE = 8_192;
const LONGEST_KEY = 16_384;

/**
 * `redact` for a text that comes in pieces. What may go on waits: the beginning of a known value, a line that introduces a
 * secret, the last word of any other, a key in a file up to its end.
 */
export class RedactedStream {
  readonly #known: KnownValues;
  #held = "";

  constructor(known: KnownValues) {
    this.#known = known;
  }

  /** What can be shown now. */
  pass(piece: string): string {
    const text = this.#held + piece;
    const open = this.#open(text);
    this.#held = text.slice(open);
    return open === 0 ? "" : redact(text.slice(0, open), this.#known);
  }

  /** No more comes. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest === "" ? "" : redact(rest, this.#known);
  }

  #open(text: string): number {
    const open = Math.min(this.#known.open(text), openShape(text));
    const across = this.#known.find(text).find(({ from, to }) => from < open && open < to);
    return across === undefined ? open : across.from;
  }
}

/** With what stands behind it. */
const END = /-----END [A-Z0-9 ]{0,40}-----[^-]/u;

function openShape(text: string): number {
  const key = text.lastIndexOf("-----BEGIN ");
  if (key >= 0 && text.length - key < LONGEST_KEY && !END.test(text.slice(key))) return key;
  const line = lineFrom(text);
  const open = spottedIn(text.slice(line), () => undefined).length > 0 ? line : lastWord(text, line);
  return text.length - open > LONGEST_LINE ? text.length : open;
}

/** Where the last line begins, or the one before it, where that introduces what the next one holds. */
function lineFrom(text: string): number {
  const line = text.lastIndexOf("\n") + 1;
  return /[:=>]\s*$/u.test(text.slice(Math.max(0, line - 64), line)) ? text.lastIndexOf("\n", line - 2) + 1 : line;
}

function lastWord(text: string, line: number): number {
  let at = text.length;
  while (at > line && !/\s/u.test(text.charAt(at - 1))) at--;
  return at;
}
