/** Texts are written together until they are as long as this: each write has its price, and what is longer is moved. */
const BATCH = 32_768;

/**
 * The part of a request body that only grows (opening, then each message), encoded once, in one buffer.
 * A tail is written behind it and overwritten by the next append: whoever sends a body must be done with it by then.
 */
export class Head {
  #bytes: Buffer;
  #used = 0;
  /** What is not in the buffer yet. */
  #late = "";

  /** `room`: what is expected behind the opening, bytes. */
  constructor(opening: string, room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(4_096, opening.length * 3 + room));
    this.append(opening);
  }

  append(text: string): void {
    this.#late += text;
    if (this.#late.length > BATCH) this.#settle();
  }

  /** Bytes of the head. */
  get used(): number {
    this.#settle();
    return this.#used;
  }

  /** The bytes from this place to the end of the head; they never change. */
  since(place: number): Buffer {
    this.#settle();
    return this.#bytes.subarray(place, this.#used);
  }

  /** The whole body, without moving a byte of the head. Valid until the next call of any method. */
  body(tail: string): Buffer {
    this.#settle();
    const end = this.#write(tail);
    return this.#bytes.subarray(0, end);
  }

  #settle(): void {
    this.#used = this.#write(this.#late);
    this.#late = "";
  }

  /** Behind the head; where it ends. */
  #write(text: string): number {
    // UTF-8 needs at most three bytes for a UTF-16 unit; the exact count is only taken when that bound does not fit.
    const room = this.#bytes.length - this.#used;
    if (text.length * 3 > room) this.#reserve(Buffer.byteLength(text));
    return this.#used + this.#bytes.write(text, this.#used);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length - this.#used) return;
    const wider = Buffer.allocUnsafeSlow(2 * this.#bytes.length + bytes);
    this.#bytes.copy(wider, 0, 0, this.#used);
    this.#bytes = wider;
  }
}
