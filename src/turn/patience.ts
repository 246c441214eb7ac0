import type { TurnPorts } from "../protocol/ports.ts";

/** How long what was stopped may go on before nobody waits for it any more. */
const PATIENCE_MS = 2_000;

/** What nobody waits for any more once the signal aborts; it must not reject. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  const { promise, resolve } = Promise.withResolvers<"aborted">();
  const abort = (): void => resolve("aborted");
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** Whoever ignores the signal cannot hold the turn. */
export class Patience {
  /** Resolves some time after the signal was aborted. */
  readonly over: Promise<undefined>;
  /** It has settled: nothing is waited for any more. */
  end: () => void;

  constructor({ clock }: TurnPorts, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const onAbort = (): void => {
      const settled = new AbortController();
      this.end = () => settled.abort();
      resolve(clock.sleep(PATIENCE_MS, settled.signal).then(() => undefined));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.over = promise;
    this.end = () => signal.removeEventListener("abort", onAbort);
  }
}
