/** Enough to look more closely. */
const BEGIN = 3;
const BITS = 5;
const TABLE = 1 << (BEGIN * BITS);

/** Finds in one pass where words of several lists may begin, in upper or lower case. */
export class Spotter {
  readonly #table = new Uint8Array(TABLE);

  /** At most eight lists, of words of three characters at least. */
  constructor(lists: readonly (readonly string[])[]) {
    for (const [at, words] of lists.entries()) {
      for (const word of words) {
        let hash = 0;
        for (let next = 0; next < BEGIN; next++) hash = rolled(hash, word.charCodeAt(next));
        this.#table[hash] = (this.#table[hash] ?? 0) | (1 << at);
      }
    }
  }

  /** `visit`: the place, and the lists as bits; it tells from where on to go on. */
  spot(text: string, visit: (at: number, lists: number) => number): void {
    const table = this.#table;
    let [hash, from] = [0, 0];
    for (let at = 0; at < text.length; at++) {
      hash = rolled(hash, text.charCodeAt(at));
      const lists = table[hash] ?? 0;
      if (lists !== 0 && at - BEGIN + 1 >= from) from = visit(at - BEGIN + 1, lists);
    }
  }
}

/** Three characters leave their traces in it, and nothing before them does; letters without regard to their case. */
const rolled = (hash: number, unit: number): number => ((hash << BITS) ^ (unit | 0x20)) & (TABLE - 1);
