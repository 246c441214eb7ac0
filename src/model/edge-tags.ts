import { THINK } from "./think-tags.ts";

const NAMES = THINK.join("|");
const OPEN = new RegExp(`^\\s*<(?:${NAMES})>`, "i");
const CLOSE = new RegExp(`</(?:${NAMES})>\\s*$`, "i");
/** What may still become one of them. */
const MAYBE_OPEN = /^\s*(?:<[a-z_]{0,22})?$/i;
const MAYBE_CLOSE = /<(?:\/[a-z_]{0,22}(?:>\s*)?)?$/i;

/**
 * Takes the tags off a thought that its server already told apart from the answer, however it is cut: one that opens it,
 * and one that closes it (nanobot.md §11).
 */
export class EdgeTags {
  #begun = false;
  #held = "";

  /** What can be shown now. */
  pass(piece: string): string {
    if (this.#begun && this.#held === "" && !piece.includes("<")) return piece;
    const text = this.#held + piece;
    this.#held = "";
    if (this.#begun) return this.#withoutEnd(text);
    if (MAYBE_OPEN.test(text)) {
      this.#held = text;
      return "";
    }
    this.#begun = true;
    return this.#withoutEnd(text.replace(OPEN, ""));
  }

  #withoutEnd(text: string): string {
    const at = text.search(MAYBE_CLOSE);
    if (at < 0) return text;
    this.#held = text.slice(at);
    return text.slice(0, at);
  }

  /** No more comes: what is left that is no tag. */
  end(): string {
    const rest = this.#held.replace(CLOSE, "");
    this.#held = "";
    return rest;
  }
}
