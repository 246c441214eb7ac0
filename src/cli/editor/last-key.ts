/** When a key was pressed last. */
export class LastKey {
  private atMs = -Infinity;

  pressed(): void {
    this.atMs = performance.now();
  }

  /** Resolves when no key was pressed for so long, ms, from now on, or when nobody reads keys any more. */
  async quiet(ms: number, isOver: () => boolean): Promise<void> {
    const from = performance.now();
    for (;;) {
      await whatHasCome();
      const left = Math.max(from, this.atMs) + ms - performance.now();
      if (left <= 0 || isOver()) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }
}

/** Resolves when all keys that have arrived are read, however long this process stood still: see FirstLook. */
const whatHasCome = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
