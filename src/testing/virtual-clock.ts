import type { Clock } from "../protocol/ports.ts";

interface Timer {
  readonly at: number;
  readonly fire: () => void;
  /** Somebody waits for it. */
  readonly awaited: boolean;
}

/** Where virtual time begins, ms since the epoch: 2026-01-01. */
const BEGINNING = 1_767_225_600_000;

/**
 * Time that passes only where a turn waits for nothing but time: it jumps to the next timer, one in each turn of the
 * event loop, as long as somebody waits for one. Limits and signs of life fire when it passes them.
 */
export class VirtualClock implements Clock {
  private time = BEGINNING;
  private ticking = false;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time - BEGINNING;
  }

  sleep(ms: number, signal: AbortSignal, aside?: "aside"): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        forget();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const forget = this.add({ at: this.time + ms, fire: done, awaited: aside === undefined });
      signal.addEventListener("abort", done, { once: true });
    });
  }

  /** Calls `fire` after `ms`, aside; the returned function takes that back. */
  set(ms: number, fire: () => void): () => void {
    return this.add({ at: this.time + ms, fire, awaited: false });
  }

  private add(timer: Timer): () => void {
    this.timers.add(timer);
    this.tick();
    return () => this.timers.delete(timer);
  }

  private tick(): void {
    if (this.ticking || ![...this.timers].some(({ awaited }) => awaited)) return;
    this.ticking = true;
    setImmediate(() => {
      this.ticking = false;
      this.pass();
    });
  }

  private pass(): void {
    if (![...this.timers].some(({ awaited }) => awaited)) return;
    const [next] = [...this.timers].toSorted((a, b) => a.at - b.at);
    if (next === undefined) return;
    this.timers.delete(next);
    this.time = next.at;
    next.fire();
    this.tick();
  }
}
