import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Read, type Reading, THREAD } from "./page-thread.ts";

/** How long one page is read, ms: the parser needs seconds for a few MB, and has no end for some that were made for that. */
const LIMIT_MS = 10_000;
/** Of the thread, MB. */
const MOST_MEMORY = 512;

export interface ThreadLimits {
  readonly signal: AbortSignal;
  /** ms */
  readonly limitMs?: number;
}

/**
 * Reads what others wrote on a thread of its own: whatever is in it, nothing here waits longer than the limit, and nothing
 * runs out of memory. Rejects only when it is aborted.
 */
export async function readInThread(reading: Reading, { signal, limitMs = LIMIT_MS }: ThreadLimits): Promise<Read> {
  signal.throwIfAborted();
  const worker = new Worker(THREAD, {
    workerData: reading,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
  });
  const over = AbortSignal.timeout(limitMs);
  try {
    const [read] = (await once(worker, "message", { signal: AbortSignal.any([signal, over]) })) as [Read];
    return read;
  } catch {
    signal.throwIfAborted();
    return {
      type: "failed",
      why: over.aborted ? `it took longer than ${limitMs / 1_000} s` : "it is too large or too deep",
    };
  } finally {
    await worker.terminate();
  }
}
