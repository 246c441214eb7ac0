/** Characters; Hermes §14.6: 50,000 in all, the first 40 % and the last 60 %. */
const HEAD = 20_000;
const TAIL = 30_000;

/** The beginning and the end of an output of any length, in bounded memory. */
export class KeptOutput {
  #head = "";
  #tail = "";
  #total = 0;

  push(text: string): void {
    this.#total += text.length;
    const room = HEAD - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length > room) this.#tail = (this.#tail + text.slice(Math.max(0, room))).slice(-TAIL);
  }

  text(): string {
    const left = this.#total - this.#head.length - this.#tail.length;
    if (left === 0) return this.#head + this.#tail;
    return `${this.#head.toWellFormed()}\n[… ${left} characters left out …]\n${this.#tail.toWellFormed()}`;
  }
}
