/** Characters; Hermes §14.6: 50,000 in all. */
const USUAL = 50_000;
/** Of these the first 40 %, and the last 60 %. */
const HEAD_SHARE = 0.4;
/** Characters that are kept beside that for a file (security §3.11: 10 MB). */
const WHOLE = 10_000_000;

/** The beginning and the end of an output of any length, in bounded memory, and as much of the rest as a file may hold. */
export class KeptOutput {
  #head = "";
  #tail = "";
  #total = 0;
  readonly #chunks: string[] = [];
  readonly #most: number;
  readonly #first: number;

  /** `most`: characters that are told of it. */
  constructor(most: number = USUAL) {
    this.#most = most;
    this.#first = most * HEAD_SHARE;
  }

  push(text: string): void {
    const free = WHOLE - this.#total;
    if (free > 0) this.#chunks.push(text.slice(0, free));
    this.#total += text.length;
    const room = this.#first - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length > room) this.#tail = (this.#tail + text.slice(Math.max(0, room))).slice(this.#first - this.#most);
  }

  /** `where`: of the file that holds more of it. */
  text(where?: string): string {
    const left = this.#total - this.#head.length - this.#tail.length;
    if (left === 0) return this.#head + this.#tail;
    const more =
      where === undefined ? "" : `; ${this.#total > WHOLE ? "the first 10 MB are" : "all of it is"} in ${where}`;
    return `${this.#head.toWellFormed()}\n[… ${left} characters left out${more} …]\n${this.#tail.toWellFormed()}`;
  }

  /** All there is of an output that `text` leaves something out of. */
  whole(): string | undefined {
    return this.#total > this.#most ? this.#chunks.join("").toWellFormed() : undefined;
  }
}
