import { usualBreak, type Edit, type Span } from "../text/lines.ts";
import { fuzzyReplace, type Replaced, type Replacement } from "./fuzzy-replace.ts";

/**
 * The same for a text with whatever line breaks: one that is looked for with "\n" is found behind "\r\n" too, and what comes
 * in its place has the line breaks of the place, one by one.
 */
export function replaceText(text: string, replacement: Replacement): Replaced {
  const { old, now, all } = replacement;
  // Who writes "\r" may mean just that.
  const exact = `${old}${now}`.includes("\r") && text.includes(old);
  if (exact || !text.includes("\r\n")) return fuzzyReplace(text, replacement);
  const breaks = new Breaks(text);
  const plain = (part: string): string => part.replaceAll("\r\n", "\n");
  const found = fuzzyReplace(breaks.plain, { old: plain(old), now: plain(now), all });
  if (found.type === "several") return { ...found, places: found.places.map((place) => breaks.spanOf(place)) };
  if (found.type !== "found") return found;
  return { ...found, edits: found.edits.map((edit) => breaks.editOf(edit)) };
}

/** A text with "\n" alone, and the way back to the one it was made of. */
class Breaks {
  readonly plain: string;
  readonly #text: string;
  /** Places in the plain text of the line breaks that were "\r\n". */
  readonly #returns: readonly number[];

  constructor(text: string) {
    const returns: number[] = [];
    for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) returns.push(at - returns.length);
    this.#text = text;
    this.#returns = returns;
    this.plain = text.replaceAll("\r\n", "\n");
  }

  spanOf({ from, until }: Span): Span {
    return { from: this.#placeOf(from), until: this.#placeOf(until) };
  }

  editOf(edit: Edit): Edit {
    const span = this.spanOf(edit);
    const own = this.#text.slice(span.from, span.until).match(/\r?\n/gu) ?? [];
    const usual = own.at(-1) ?? usualBreak(this.#text);
    let line = 0;
    return { ...span, text: edit.text.replaceAll("\n", () => own[line++] ?? usual) };
  }

  /** Behind as many "\r" as stand before it; a place at a line break is before its "\r". */
  #placeOf(place: number): number {
    let [low, high] = [0, this.#returns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#returns[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return place + low;
  }
}
