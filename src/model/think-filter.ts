import { CodeSpan } from "./code-span.ts";
import { FUNCTION, isCutTag, type Tag, tagAt } from "./think-tags.ts";

type Open = Extract<Tag, { type: "open" }>;

interface Hidden {
  readonly tag: Open;
  readonly closing: string;
  /**
   * Absent when the block began a line: it is hidden whatever comes. A tag in the middle of a line only counts once
   * its close tag has come; until then what stands behind it is held here.
   */
  readonly held: { readonly opener: string; readonly body: string[] } | undefined;
}

/**
 * Splits visible text from inline thinking, across any chunking, in time linear in what it is fed (row C12).
 * Tags are literal in Markdown code. What is shown never depends on where the chunks were cut.
 */
export class ThinkFilter {
  /** Shown and thought since the caller last took them; the caller clears them. */
  text = "";
  reasoning = "";
  #started = false;
  /** The last piece shown that is more than white space. */
  #lastShown = "";
  #swallowSpace = false;
  #rest = "";
  #afterClosed = "";
  #hidden: Hidden | undefined;
  #openAtEnd = false;
  readonly #code = new CodeSpan();
  /** Names whose close tag is known not to come any more: the text has ended. */
  readonly #unclosed = new Set<string>();

  feed(chunk: string): void {
    if (this.#plain && !chunk.includes("<")) {
      this.#show(chunk);
      return;
    }
    let rest = this.#rest === "" ? chunk : this.#rest + chunk;
    this.#rest = "";
    while (rest !== "") rest = this.#hidden === undefined ? this.#outside(rest) : this.#inside(rest, this.#hidden);
  }

  get #plain(): boolean {
    return this.#rest === "" && this.#hidden === undefined && this.#afterClosed === "";
  }

  /** The text ended inside a block that began a line. */
  get endedInside(): boolean {
    return this.#openAtEnd;
  }

  /** No more text comes: decides what was held back. */
  end(): void {
    for (let hidden = this.#hidden; hidden?.held !== undefined; hidden = this.#hidden)
      this.#giveBack(hidden.tag, hidden.held);
    const rest = this.#rest;
    this.#rest = "";
    this.#openAtEnd = this.#hidden !== undefined;
    if (this.#hidden !== undefined) this.#hide(rest, this.#hidden);
    else if (rest !== "") this.#endPartial(rest);
    this.#hidden = undefined;
    this.#afterClosed = "";
  }

  /** The close tag never came: the opener was text, and so is what stands behind it, except for other blocks in it. */
  #giveBack(tag: Open, { opener, body }: NonNullable<Hidden["held"]>): void {
    const text = body.join("") + this.#rest;
    this.#rest = "";
    this.#hidden = undefined;
    this.#unclosed.add(tag.name);
    this.#show(opener);
    this.feed(text);
  }

  #endPartial(rest: string): void {
    const bare = !this.#started && /^<\|?$/.test(rest);
    if (bare || (isCutTag(rest) && !this.#code.inCode())) return;
    this.#show(rest);
  }

  #outside(text: string): string {
    for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
      const tag = tagAt(text, at);
      if (tag.type === "none") continue;
      this.#show(text.slice(0, at));
      const rest = text.slice(at);
      if (tag.type !== "partial") return this.#onTag(tag, rest);
      this.#rest = rest;
      return "";
    }
    this.#show(text);
    return "";
  }

  /** Returns what is still to be read. */
  #onTag(tag: Exclude<Tag, { type: "none" | "partial" }>, rest: string): string {
    const after = rest.slice(tag.length);
    if (this.#code.inCode()) return this.#literal(rest, tag.length);
    switch (tag.type) {
      case "close":
        this.#swallowSpace = true;
        return after;
      case "malformed":
        return after;
      case "channel":
        return this.#started ? this.#literal(rest, tag.length) : after;
      case "self-closed":
        if (this.#started) this.#afterClosed += rest.slice(0, tag.length);
        return after;
      case "open":
        return this.#onOpen(tag, rest);
    }
  }

  #onOpen(tag: Open, rest: string): string {
    const startsLine = this.#code.blank && this.#afterClosed === "";
    if (!startsLine && !this.#countsInLine(tag.name)) return this.#literal(rest, tag.length);
    const held = startsLine ? undefined : { opener: rest.slice(0, tag.length), body: [] };
    this.#hidden = { tag, closing: `</${tag.name}>`, held };
    return rest.slice(tag.length);
  }

  #countsInLine(name: string): boolean {
    if (this.#unclosed.has(name)) return false;
    if (name !== FUNCTION) return true;
    this.#lastShown = this.#lastShown.trimEnd();
    return this.#afterClosed === "" && /[.!?:]/.test(this.#lastShown.slice(-1));
  }

  #literal(rest: string, length: number): string {
    this.#show(rest.slice(0, length));
    return rest.slice(length);
  }

  #inside(text: string, hidden: Hidden): string {
    const { closing } = hidden;
    for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
      const here = text.slice(at, at + closing.length).toLowerCase();
      if (here === closing) {
        this.#hide(text.slice(0, at), hidden);
        if (hidden.held !== undefined && hidden.tag.thinks) this.reasoning += hidden.held.body.join("");
        this.#hidden = undefined;
        return text.slice(at + closing.length);
      }
      if (at + here.length === text.length && closing.startsWith(here)) {
        this.#hide(text.slice(0, at), hidden);
        this.#rest = text.slice(at);
        return "";
      }
    }
    this.#hide(text, hidden);
    return "";
  }

  #hide(text: string, { held, tag }: Hidden): void {
    if (held !== undefined) held.body.push(text);
    else if (tag.thinks) this.reasoning += text;
  }

  #show(text: string): void {
    let shown = this.#swallowSpace ? text.trimStart() : text;
    if (shown === "") return;
    this.#swallowSpace = false;
    if (this.#afterClosed !== "") {
      shown = this.#afterClosed + shown;
      if (!/\S/.test(text)) {
        // Still only white space behind a `<thinking/>`, which is dropped when nothing else follows.
        this.#afterClosed = shown;
        return;
      }
      this.#afterClosed = "";
    }
    if (/\S/.test(shown)) {
      this.#started = true;
      this.#lastShown = shown;
    }
    this.#code.pass(shown);
    this.text += shown;
  }
}

/** The visible part of a whole text: the same filter, fed once. */
export function stripThink(text: string): string {
  const filter = new ThinkFilter();
  filter.feed(text);
  filter.end();
  // The line that an unfinished block began goes with it.
  return filter.endedInside ? filter.text.replace(/\n[ \t]*$/, "") : filter.text;
}
