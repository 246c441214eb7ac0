import type { Clock } from "../../protocol/ports.ts";

export interface Limits {
  readonly clock: Clock;
  /** How long nothing may be heard, ms. */
  readonly limitMs: number;
  /** How long it may take in all, ms. */
  readonly mostMs: number;
}

/**
 * Does work that is given up when the signal aborts, and when nothing was heard of it for too long: `alive` says that
 * something was. Rejects with an error whose name is `TimeoutError` then.
 */
export async function within<T>(
  { clock, limitMs, mostMs }: Limits,
  signal: AbortSignal,
  work: (signal: AbortSignal, alive: (told: Told) => string) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const limit = new AbortController();
  const startMs = clock.elapsed();
  let heardMs = startMs;
  const timeOut = async (): Promise<never> => {
    for (;;) {
      const leftMs = Math.min(heardMs + limitMs, startMs + mostMs) - clock.elapsed();
      if (leftMs <= 0) break;
      await clock.sleep(leftMs, over.signal, "aside");
      if (over.signal.aborted) break;
    }
    const seconds = Math.round((clock.elapsed() - startMs) / 1_000);
    const error = new DOMException(`nothing came within ${seconds} s`, "TimeoutError");
    limit.abort(error);
    throw error;
  };
  const alive = (told: Told): string => {
    heardMs = clock.elapsed();
    return shown(told);
  };
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const timing = timeOut();
  timing.catch(() => undefined);
  stopped.promise.catch(() => undefined);
  try {
    return await Promise.race([work(AbortSignal.any([signal, limit.signal]), alive), timing, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    over.abort();
  }
}

/** How far something has come. */
interface Told {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const shown = ({ progress, total, message = "" }: Told): string => {
  const far = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return `${message === "" ? far : `${far}: ${message}`}`.slice(0, 200);
};
