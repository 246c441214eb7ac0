import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../protocol/ports.ts";

/** Security §3.5 step 7. */
export const LIMITS = {
  connectMs: 10_000,
  headersMs: 15_000,
  idleMs: 20_000,
  totalMs: 60_000,
  bodyBytes: 5_000_000,
  redirects: 5,
  headers: 100,
  headerBytes: 32_768,
  ratio: 20,
} as const;

/** What of a clock is used here. */
export type Timer = Pick<Clock, "sleep">;

export const realTimer: Timer = {
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};

/** Calls `late` after so long, unless it is told before that nobody waits any more. */
export function lateAfter(timer: Timer, ms: number, late: () => void): () => void {
  const over = new AbortController();
  const fire = (): void => {
    if (!over.signal.aborted) late();
  };
  timer.sleep(ms, over.signal, "aside").then(fire, fire);
  return () => over.abort();
}
