import type { Worker } from "node:worker_threads";

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

interface Found {
  /** Lines that match, also those beyond `limit`. */
  readonly count: number;
  readonly lines: readonly FoundLine[];
}

/** Finds the lines of a text that match one pattern. Dispose it when the search is over. */
export interface LineMatcher extends AsyncDisposable {
  /** Rejects when the signal aborts, also in the middle of a regular expression. */
  match(text: string, limit: number, signal: AbortSignal): Promise<Found>;
}

/** The part of a long line that is shown, in characters. */
const SHOWN_CHARS = 300;

/** Throws SyntaxError for an illegal regular expression. */
export function lineMatcher(pattern: string, options: { readonly ignoreCase: boolean }): LineMatcher {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return literalMatcher(pattern, options.ignoreCase);
  const flags = options.ignoreCase ? "i" : "";
  RegExp(pattern, flags);
  return new WorkerMatcher(pattern, flags);
}

export function literalMatcher(pattern: string, ignoreCase: boolean): LineMatcher {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  const test = ignoreCase
    ? (line: string): boolean => line.toLowerCase().includes(wanted)
    : (line: string): boolean => line.includes(wanted);
  return {
    match: async (text, limit) => findLines(text, test, limit, SHOWN_CHARS),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Stands alone: its text is also sent to the worker. */
function findLines(text: string, test: (line: string) => boolean, limit: number, shownChars: number): Found {
  const lines: FoundLine[] = [];
  let count = 0;
  let start = 0;
  for (let line = 1; start < text.length; line += 1) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const content = text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    start = end + 1;
    if (!test(content)) continue;
    count += 1;
    if (lines.length < limit) lines.push({ line, text: content.slice(0, shownChars) });
  }
  return { count, lines };
}

interface WorkerStart {
  readonly pattern: string;
  readonly flags: string;
  readonly shownChars: number;
}

/** Stands alone: only its text reaches the worker. */
function serveMatches(find: typeof findLines): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { pattern, flags, shownChars } = workerData as WorkerStart;
  const expression = new RegExp(pattern, flags);
  parentPort?.on("message", ({ text, limit }: { text: string; limit: number }) => {
    parentPort.postMessage(find(text, (line) => expression.test(line), limit, shownChars));
  });
}

/**
 * Runs a regular expression on a thread of its own, because one that backtracks without end can only be stopped with
 * its thread. The thread gets its program as text, so it works the same from sources and from a bundle.
 */
class WorkerMatcher implements LineMatcher {
  readonly #start: WorkerStart;
  #worker: Worker | undefined;

  constructor(pattern: string, flags: string) {
    this.#start = { pattern, flags, shownChars: SHOWN_CHARS };
  }

  async match(text: string, limit: number, signal: AbortSignal): Promise<Found> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= await this.#open());
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("message", resolve);
    worker.once("error", reject);
    try {
      worker.postMessage({ text, limit });
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      worker.off("message", resolve);
      worker.off("error", reject);
    }
  }

  async #open(): Promise<Worker> {
    const threads = await import("node:worker_threads");
    const program = `(${serveMatches.toString()})(${findLines.toString()})`;
    return new threads.Worker(program, {
      eval: true,
      workerData: this.#start,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }
}
