import type { Movable } from "../protocol/tool.ts";

/** A result that could still be told by a file in place of its text: characters. */
export interface Sized extends Pick<Movable, "kept"> {
  readonly chars: number;
}

/**
 * Which results go to files so that a batch fits: the largest first, until what is left does (hermes.md §26.13). Places in
 * the list; of equal ones the first.
 */
export function largestFirst(results: readonly Sized[], most: number): number[] {
  let total = results.reduce((sum, { chars }) => sum + chars, 0);
  const gone: number[] = [];
  const order = results.map((result, at) => ({ ...result, at })).toSorted((one, other) => other.chars - one.chars);
  for (const { chars, kept, at } of order) {
    if (total <= most || chars <= kept) break;
    gone.push(at);
    total -= chars - kept;
  }
  return gone.toSorted((one, other) => one - other);
}

/** A result that asks for room. */
interface Asking extends Sized, Pick<Movable, "batch"> {
  /** Of its call among those of the batch: of two equal results the first goes. */
  readonly place: number;
}

interface Held extends Asking {
  readonly answer: (goes: boolean) => void;
}

/**
 * The room that the results of one batch have together. Whatever fits for certain is told at once. What may not waits until
 * its segment is over, so that it is the largest that go, whoever was faster: only calls that can run again without harm
 * wait, because a process that dies now has not recorded them.
 */
export class BatchRoom {
  #told: number;
  #open: number;
  #most = Infinity;
  readonly #before: number;
  readonly #calls: number;
  readonly #held: Held[] = [];

  /** `before`: characters of the batch that earlier segments were told. `calls`: so many will each `take` or `leave`, once. */
  constructor(before: number, calls: number) {
    this.#before = before;
    this.#told = before;
    this.#calls = calls;
    this.#open = calls;
  }

  /** A call ended that has nothing to move. */
  leave(chars: number): void {
    this.#told += chars;
    this.#end();
  }

  /** Whether the result goes to a file. */
  async take(result: Asking, waits: boolean): Promise<boolean> {
    this.#most = result.batch;
    const fits = result.chars <= (this.#most - this.#before) / this.#calls;
    if (fits || !waits) {
      const goes = !fits && largestFirst([result], this.#most - this.#told).length > 0;
      this.leave(goes ? result.kept : result.chars);
      return goes;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#held.push({ ...result, answer: resolve });
    this.#end();
    return promise;
  }

  #end(): void {
    this.#open--;
    if (this.#open > 0) return;
    const held = this.#held.toSorted((one, other) => one.place - other.place);
    const gone = largestFirst(held, this.#most - this.#told);
    held.forEach(({ answer }, at) => answer(gone.includes(at)));
  }
}
