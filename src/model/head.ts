/**
 * The part of a request body that only grows (opening, then each message), encoded once, in one buffer.
 * A tail is written behind it and overwritten by the next append: whoever sends a body must be done with it by then.
 */
export class Head {
  #bytes: Buffer;
  #used = 0;

  constructor(opening: string) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(4_096, opening.length * 3));
    this.append(opening);
  }

  append(text: string): void {
    // UTF-8 needs at most three bytes for a UTF-16 unit; the exact count is only taken when that bound does not fit.
    const room = this.#bytes.length - this.#used;
    if (text.length * 3 > room) this.#reserve(Buffer.byteLength(text));
    this.#used += this.#bytes.write(text, this.#used);
  }

  /** Bytes of the head. */
  get used(): number {
    return this.#used;
  }

  /** The bytes from this place to the end of the head; they never change. */
  since(place: number): Buffer {
    return this.#bytes.subarray(place, this.#used);
  }

  /** The whole body, without moving a byte of the head. Valid until the next call of any method. */
  body(tail: string): Buffer {
    const used = this.#used;
    this.append(tail);
    const body = this.#bytes.subarray(0, this.#used);
    this.#used = used;
    return body;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length - this.#used) return;
    const wider = Buffer.allocUnsafeSlow(2 * this.#bytes.length + bytes);
    this.#bytes.copy(wider, 0, 0, this.#used);
    this.#bytes = wider;
  }
}
