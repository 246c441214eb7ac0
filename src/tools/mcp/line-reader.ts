/** Cuts what a program writes into lines. It holds no more than one line of the longest length. */
export class LineReader {
  #pieces: Buffer[] = [];
  #held = 0;
  readonly #most: number;

  /** `most`: the longest line, bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The lines that are whole now; throws a RangeError where one is longer than any may be. */
  *take(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#hold(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#pieces, this.#held).toString("utf8");
      this.clear();
      yield line;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  clear(): void {
    this.#pieces = [];
    this.#held = 0;
  }

  #hold(piece: Buffer): void {
    this.#held += piece.length;
    if (this.#held > this.#most) throw new RangeError(`a line of more than ${this.#most} bytes`);
    this.#pieces.push(piece);
  }
}
