import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { type Bare, type Read, type Reading, THREAD } from "./page-thread.ts";

/**
 * How long one page is read, ms, and again how long it is taken apart behind that: the parser needs seconds for a few MB, and
 * has no end for some that were made for that.
 */
const LIMIT_MS = 10_000;
/** Of the thread, MB. */
const MOST_MEMORY = 512;

export interface ThreadLimits {
  readonly signal: AbortSignal;
  /** How long a page may be taken apart once its bare text is there, ms. */
  readonly limitMs?: number;
}

/** What came back, and of a page all its text, also where it could not be taken apart. */
export interface Answer {
  readonly read: Read;
  readonly bare: string;
}

/**
 * Reads what others wrote on a thread of its own: whatever is in it, nothing here waits longer than the limit, and nothing
 * runs out of memory. Rejects only when it is aborted.
 */
export async function readInThread(reading: Reading, { signal, limitMs = LIMIT_MS }: ThreadLimits): Promise<Answer> {
  signal.throwIfAborted();
  const worker = new Worker(THREAD, {
    workerData: reading,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
  });
  const over = new AbortController();
  const lateAfter = (ms: number): NodeJS.Timeout => setTimeout(() => over.abort(), ms);
  let timer = lateAfter(LIMIT_MS);
  let bare = "";
  try {
    const messages = on(worker, "message", { signal: AbortSignal.any([signal, over.signal]) });
    for await (const [said] of messages as AsyncIterable<[Bare | Read]>) {
      if (said.type !== "bare") return { read: said, bare };
      bare = said.text;
      clearTimeout(timer);
      timer = lateAfter(limitMs);
    }
  } catch {
    signal.throwIfAborted();
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
  const why = over.signal.aborted ? `it took too long` : "it is too large or too deep";
  return { read: { type: "failed", why }, bare };
}
