/** Tokens of one request, as a server counts them. */
export interface Counted {
  readonly input: number;
  readonly cacheRead: number;
  /** What it keeps of the request now, and had not before. */
  readonly cacheWrite: number;
}

/** A prompt, in the order in which the model reads it. */
export interface Prompt {
  /** Two of different accounts share nothing. */
  readonly account: string;
  readonly pieces: readonly string[];
  /** Behind so many pieces there stands a mark each; absent: the server needs none. */
  readonly marks?: readonly number[] | undefined;
}

const BYTES_PER_TOKEN = 4;
/** Shorter beginnings are not kept, tokens. */
const MINIMUM = 1_024;
/** Without marks, reads come in steps of so many tokens. */
const BLOCK = 128;
/** Behind a mark, what was kept is looked for so many pieces back. */
const LOOK_BACK = 20;

/**
 * The prompt cache of a server. Without marks, what a request has in common, byte for byte, with any that it has seen is
 * read; with marks, what it has kept up to one.
 */
export class PrefixCache {
  #seen: { readonly account: string; readonly bytes: Buffer }[] = [];

  take({ account, pieces, marks }: Prompt): Counted {
    const until = (end: number): Buffer => Buffer.from(pieces.slice(0, end).join("\n"));
    const whole = until(pieces.length);
    const input = Math.ceil(whole.length / BYTES_PER_TOKEN);
    const seen = this.#seen.filter((each) => each.account === account).map(({ bytes }) => bytes);
    if (marks === undefined) {
      this.#seen.push({ account, bytes: whole });
      const tokens = Math.floor(Math.max(0, ...seen.map((bytes) => commonBytes(bytes, whole))) / BYTES_PER_TOKEN);
      return { input, cacheRead: tokens < MINIMUM ? 0 : tokens - (tokens % BLOCK), cacheWrite: 0 };
    }
    const tokensOf = (end: number): number => Math.floor(until(end).length / BYTES_PER_TOKEN);
    const kept = marks.map((mark) => newest(mark, (end) => seen.some((bytes) => bytes.equals(until(end)))));
    const cacheRead = tokensOf(Math.max(0, ...kept));
    const written = marks.filter((mark) => tokensOf(mark) >= MINIMUM);
    for (const mark of written) this.#seen.push({ account, bytes: until(mark) });
    return { input, cacheRead, cacheWrite: Math.max(0, ...written.map(tokensOf)) - cacheRead };
  }

  /** As after a long time, or on another machine. */
  forget(): void {
    this.#seen = [];
  }
}

function newest(mark: number, isKept: (end: number) => boolean): number {
  for (let end = mark; end > Math.max(0, mark - LOOK_BACK); end--) if (isKept(end)) return end;
  return 0;
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
