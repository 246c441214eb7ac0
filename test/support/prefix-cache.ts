/** Tokens of one request, as a server counts them. */
export interface Counted {
  readonly input: number;
  readonly cacheRead: number;
  /** What it has now of the request, and had not before. */
  readonly cacheWrite: number;
}

/** How servers cache: in steps of so many tokens, and nothing that is shorter than that. */
export interface CacheSteps {
  readonly block: number;
  readonly minimum: number;
}

const BYTES_PER_TOKEN = 4;

/**
 * The prompt cache of a server: what a request has in common, byte for byte, with any request that it has seen before is
 * read, the rest is written.
 */
export class PrefixCache {
  readonly #steps: CacheSteps;
  #seen: { readonly account: string; readonly bytes: Buffer }[] = [];

  constructor(steps: CacheSteps = { block: 128, minimum: 1_024 }) {
    this.#steps = steps;
  }

  /** `account`: nothing is shared between two. `pieces`: the prompt, in the order in which the model reads it. */
  take(account: string, pieces: readonly string[]): Counted {
    const bytes = Buffer.from(pieces.join("\n"));
    const same = this.#seen.filter((seen) => seen.account === account).map((seen) => commonBytes(seen.bytes, bytes));
    this.#seen.push({ account, bytes });
    const tokens = Math.floor(Math.max(0, ...same) / BYTES_PER_TOKEN);
    const { block, minimum } = this.#steps;
    const cacheRead = tokens < minimum ? 0 : tokens - (tokens % block);
    const input = Math.ceil(bytes.length / BYTES_PER_TOKEN);
    return { input, cacheRead, cacheWrite: input < minimum ? 0 : input - cacheRead };
  }

  /** As after a long time, or on another machine. */
  forget(): void {
    this.#seen = [];
  }
}

/** How many bytes two begin with alike. */
export function commonBytes(a: Buffer, b: Buffer): number {
  let [from, to] = [0, Math.min(a.length, b.length)];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (a.subarray(from, middle).equals(b.subarray(from, middle))) from = middle;
    else to = middle - 1;
  }
  return from;
}
