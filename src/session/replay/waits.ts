import type { Fact } from "../../protocol/fact.ts";

/** Something that our code waits for. */
export interface Wait {
  readonly what: string;
  /** True where the record's next fact says how the wait ended, and it has. */
  readonly settle: (next: Fact | undefined) => boolean;
  /** Ends it as a defect would. */
  readonly fail?: (error: Error) => void;
}

/** All that is waited for in one life, the newest last. */
export class Waits {
  readonly #waits: Wait[] = [];

  /** A promise that ends when `answer` has one for the record's next fact. */
  until<T>(what: string, answer: (next: Fact | undefined) => { readonly value: T } | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waits.push({
        what,
        settle: (next) => {
          try {
            const answered = answer(next);
            if (answered !== undefined) resolve(answered.value);
            return answered !== undefined;
          } catch (error) {
            reject(error as Error);
            return true;
          }
        },
        fail: reject,
      });
    });
  }

  /** Whether one of them has ended. */
  settle(next: Fact | undefined): boolean {
    const at = this.#waits.findLastIndex((wait) => wait.settle(next));
    if (at >= 0) this.#waits.splice(at, 1);
    return at >= 0;
  }

  /** Whether there was one that can fail. */
  fail(message: string): boolean {
    const wait = this.#waits.pop();
    wait?.fail?.(new Error(message));
    return wait !== undefined;
  }

  has(what: string): boolean {
    return this.#waits.some((wait) => wait.what === what);
  }

  /** In words, for whoever is told that nothing goes on. */
  get what(): string {
    return [...new Set(this.#waits.map(({ what }) => what))].join(", ");
  }
}
