import { cleanText } from "../protocol/clean-text.ts";

/** Text that comes in pieces, in whole characters: half of a surrogate pair waits for its other half (row A4). */
export class WholeCharacters {
  #half = "";

  /** What can be shown now. */
  pass(piece: string): string {
    if (piece === "") return "";
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    this.#half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : "";
    return cleanText(this.#half === "" ? text : text.slice(0, -1));
  }

  /** No more comes: what is left of a pair. */
  end(): string {
    return cleanText(this.#half);
  }
}
