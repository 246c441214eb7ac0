import { appendFile, rename, writeFile } from "node:fs/promises";
import { TerminalText } from "../terminal/terminal-text.ts";

/** Characters that are kept (Hermes §16). */
const KEPT_CHARS = 200_000;
/** A line that is longer is taken as it comes. */
const LONGEST_LINE = 16_384;

export interface LogPlace {
  readonly path: string;
  /** Takes what nobody may see out of a text; it is given whole lines. */
  readonly clean: (text: string) => string;
}

/** The end of an output of any length, as plain text, in bounded memory and in a file. */
export class RollingLog {
  readonly #clean: (text: string) => string;
  readonly #path: string;
  readonly #plain = new TerminalText();
  readonly #decoder = new TextDecoder();
  #text: string;
  /** Characters that went before `#text`. */
  #gone = 0;
  /** A line that has not come to its end. */
  #line = "";
  #pending = "";
  #inFile = 0;
  #writing: Promise<void> | undefined;

  /** `before`: what an earlier life has kept of it. */
  constructor({ path, clean }: LogPlace, before = "") {
    this.#path = path;
    this.#clean = clean;
    this.#text = before.slice(-KEPT_CHARS);
    this.#inFile = before.length;
  }

  push(chunk: Buffer | string): void {
    this.#take(this.#plain.push(typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true })));
  }

  /** Nothing more comes. */
  end(): void {
    this.#take(this.#plain.push(this.#decoder.decode()) + this.#plain.end());
    this.#add(this.#clean(this.#line));
    this.#line = "";
  }

  /** Characters that were printed in all. */
  get total(): number {
    return this.#gone + this.#text.length + this.#open().length;
  }

  /** From this place on, of all that was printed; `from` is later where that is not kept any more. */
  since(offset: number): { readonly from: number; readonly text: string } {
    const text = this.#text + this.#open();
    const from = Math.min(Math.max(offset, this.#gone), this.#gone + text.length);
    return { from, text: text.slice(from - this.#gone).toWellFormed() };
  }

  /** Resolves when the file holds what has come so far. Never rejects. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #open(): string {
    return this.#line === "" ? "" : this.#clean(this.#line);
  }

  #take(text: string): void {
    const all = this.#line + text;
    const cut = all.length > LONGEST_LINE ? all.length : all.lastIndexOf("\n") + 1;
    this.#line = all.slice(cut);
    if (cut > 0) this.#add(this.#clean(all.slice(0, cut)));
  }

  #add(text: string): void {
    if (text === "") return;
    this.#text += text;
    const over = this.#text.length - KEPT_CHARS;
    if (over > 0) {
      this.#gone += over;
      this.#text = this.#text.slice(over);
    }
    this.#pending = (this.#pending + text).slice(-KEPT_CHARS);
    this.#writing ??= this.#write();
  }

  /** A disk that takes nothing costs the file, not the process. */
  async #write(): Promise<void> {
    try {
      while (this.#pending !== "") await this.#writeOnce();
    } catch {
      this.#pending = "";
    }
    this.#writing = undefined;
  }

  async #writeOnce(): Promise<void> {
    const next = this.#pending;
    this.#pending = "";
    if (this.#inFile + next.length <= 2 * KEPT_CHARS) {
      await appendFile(this.#path, next, { mode: 0o600 });
      this.#inFile += next.length;
      return;
    }
    const draft = `${this.#path}.new`;
    const whole = this.#text;
    await writeFile(draft, whole, { mode: 0o600 });
    await rename(draft, this.#path);
    this.#inFile = whole.length;
  }
}
