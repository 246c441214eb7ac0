import type { Timers } from "../../src/model/watchdog.ts";

interface Pending {
  readonly at: number;
  readonly fire: () => void;
}

/** Time that passes only when the test says so. */
export class VirtualTimers implements Timers {
  private time = 0;
  private readonly pending = new Set<Pending>();

  now(): number {
    return this.time;
  }

  set(ms: number, fire: () => void): () => void {
    const timer = { at: this.time + ms, fire };
    this.pending.add(timer);
    return () => this.pending.delete(timer);
  }

  /** Lets `ms` pass; what is due fires in order, also what is set meanwhile. */
  advance(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const [next] = [...this.pending].filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.pending.delete(next);
      this.time = next.at;
      next.fire();
    }
    this.time = until;
  }
}
