import { isUtf8 } from "node:buffer";

// Hermes §14.6 and §16.
const MAX_LINE_CHARS = 2_000;
const MAX_CHARS = 100_000;
/** A character is at most 4 bytes, so this much of a line is enough to show it. */
const LINE_BYTES = MAX_LINE_CHARS * 4 + 4;

/** Collects the lines of a window from chunks of bytes; holds no more than it will show. */
export class LineWindow {
  readonly texts: string[] = [];
  /** Complete lines so far, shown or not. */
  seen = 0;
  /** Nothing more will be shown; lines are only counted. */
  full = false;
  lossy = false;
  carriageReturns = false;
  readonly #first: number;
  readonly #count: number;
  #chars = 0;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #open = false;

  constructor(first: number, count: number) {
    this.#first = first;
    this.#count = count;
  }

  push(bytes: Buffer): void {
    let start = 0;
    while (start < bytes.length) {
      const newline = bytes.indexOf(10, start);
      this.#extend(bytes.subarray(start, newline === -1 ? bytes.length : newline));
      if (newline === -1) return;
      this.#close();
      start = newline + 1;
    }
  }

  /** A last line without a line break counts as a line. */
  end(): void {
    if (this.#open) this.#close();
  }

  #extend(piece: Buffer): void {
    this.#open = true;
    const room = LINE_BYTES - this.#lineBytes;
    this.#lineBytes += piece.length;
    // The caller's buffer is used again, so what is kept is copied.
    if (!this.full && this.seen + 1 >= this.#first && room > 0) this.#line.push(Buffer.from(piece.subarray(0, room)));
  }

  #close(): void {
    this.seen += 1;
    if (!this.full && this.seen >= this.#first) this.#show(Buffer.concat(this.#line));
    this.#line = [];
    this.#lineBytes = 0;
    this.#open = false;
  }

  #show(bytes: Buffer): void {
    const cutBytes = this.#lineBytes > bytes.length;
    if (!cutBytes && !isUtf8(bytes)) this.lossy = true;
    let text = bytes.toString("utf8");
    if (this.seen === 1 && text.startsWith("\uFEFF")) text = text.slice(1);
    if (text.endsWith("\r")) {
      this.carriageReturns = true;
      text = text.slice(0, -1);
    }
    if (cutBytes || text.length > MAX_LINE_CHARS) {
      text = `${text.slice(0, MAX_LINE_CHARS).toWellFormed()} [cut: the line has ${this.#lineBytes} bytes]`;
    }
    if (this.texts.length > 0 && this.#chars + text.length > MAX_CHARS) {
      this.full = true;
      return;
    }
    this.texts.push(text);
    this.#chars += text.length + 1;
    if (this.texts.length === this.#count) this.full = true;
  }
}
