import { FENCE_TAGS } from "../protocol/context.ts";

const TAGS = FENCE_TAGS.map((tag) => ({ open: `<${tag}>`, close: `</${tag}>` }));

type Found =
  | { readonly type: "open"; readonly length: number; readonly close: string }
  /** Text that names the tag. */
  | { readonly type: "mention" }
  /** The text ends before it is decided. */
  | { readonly type: "partial" }
  | { readonly type: "none" };

const NONE: Found = { type: "none" };

/**
 * Takes the fences of contexts out of what a model says, which it at times repeats, across any chunking, in time linear
 * in what it is fed (row A11). A fence begins a line and ends one: a tag that is only mentioned is text. One that is not
 * closed hides all that follows.
 */
export class ContextFilter {
  /** Nothing but white space was shown since the last line break. */
  #blank: boolean;
  /** What may be the beginning of a tag. */
  #held = "";
  /** What ends the fence that we are in. */
  #close: string | undefined;

  constructor(beginsLine = true) {
    this.#blank = beginsLine;
  }

  /** What can be shown. */
  pass(text: string): string {
    if (this.#held === "" && this.#close === undefined && !text.includes("<")) {
      this.#pass(text);
      return text;
    }
    let rest = this.#held + text;
    this.#held = "";
    let shown = "";
    while (rest !== "") {
      if (this.#close !== undefined) rest = this.#inside(rest, this.#close);
      else {
        const [before, after] = this.#outside(rest);
        shown += before;
        rest = after;
      }
    }
    return shown;
  }

  /** No more text comes: what was held back can be shown, unless it stands in a fence. */
  end(): string {
    const rest = this.#close === undefined ? this.#held : "";
    this.#held = "";
    this.#close = undefined;
    return rest;
  }

  /** Follows what is shown. */
  #pass(text: string): void {
    const line = text.lastIndexOf("\n");
    if (line >= 0) this.#blank = true;
    if (this.#blank) this.#blank = !/\S/u.test(line < 0 ? text : text.slice(line + 1));
  }

  /** What is shown, and what is still to be read. */
  #outside(text: string): readonly [shown: string, rest: string] {
    let passed = 0;
    for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
      const found = tagAt(text, at);
      if (found.type === "none") continue;
      this.#pass(text.slice(passed, at));
      passed = at;
      if (found.type === "mention" || (found.type === "open" && !this.#blank)) continue;
      if (found.type === "open" && at + found.length < text.length) {
        this.#close = found.close;
        return [text.slice(0, at), text.slice(at + found.length)];
      }
      this.#held = text.slice(at);
      return [text.slice(0, at), ""];
    }
    this.#pass(text.slice(passed));
    return [text, ""];
  }

  /** Returns what is still to be read. */
  #inside(text: string, close: string): string {
    for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
      const here = text.slice(at, at + close.length).toLowerCase();
      if (here === close) {
        this.#close = undefined;
        return text.slice(at + close.length);
      }
      if (at + here.length === text.length && close.startsWith(here)) this.#held = text.slice(at);
    }
    return "";
  }
}

/** What stands at `at`, where there is a `<`. An opening tag ends its line, or the text so far. */
function tagAt(text: string, at: number): Found {
  for (const { open, close } of TAGS) {
    const here = text.slice(at, at + open.length).toLowerCase();
    if (here === open) {
      const next = text[at + open.length];
      const endsLine = next === undefined || next === "\n" || next === "\r";
      return endsLine ? { type: "open", length: open.length, close } : { type: "mention" };
    }
    if (at + here.length === text.length && open.startsWith(here)) return { type: "partial" };
  }
  return NONE;
}
