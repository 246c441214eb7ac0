import type { Worker } from "node:worker_threads";

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Shown for what stands beside it. */
  readonly beside?: true;
}

export interface Found {
  /** Lines that match, also those beyond `limit`. */
  readonly count: number;
  /** At most `limit` that match, and those beside them. */
  readonly lines: readonly FoundLine[];
}

export interface Matching {
  /** Lines shown that match, in all texts. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Told of each text, in their order. */
  readonly onFound: (found: Found) => void;
}

/** Finds the lines of a text that match one pattern. Dispose it when the search is over. */
export interface LineMatcher extends AsyncDisposable {
  /** Rejects when the signal aborts, also in the middle of a regular expression. */
  match(texts: readonly Buffer[], matching: Matching): Promise<void>;
}

/** The part of a long line that is shown, in characters. */
const SHOWN_CHARS = 300;

interface Options {
  readonly ignoreCase: boolean;
  /** Lines shown before and after one that matches. */
  readonly beside: number;
}

/** Throws SyntaxError for an illegal regular expression. */
export function lineMatcher(pattern: string, options: Options): LineMatcher {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return literalMatcher(pattern, options);
  const flags = flagsFor(pattern, options.ignoreCase);
  RegExp(pattern, flags);
  return new WorkerMatcher({ pattern, flags, shown: { chars: SHOWN_CHARS, beside: options.beside } });
}

/** By whole characters where the pattern allows it, as other programs search. */
function flagsFor(pattern: string, ignoreCase: boolean): string {
  const flags = ignoreCase ? "i" : "";
  try {
    RegExp(pattern, `${flags}u`);
    return `${flags}u`;
  } catch {
    return flags;
  }
}

export function literalMatcher(pattern: string, { ignoreCase, beside }: Options): LineMatcher {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  const bytes = Buffer.from(wanted);
  const test = ignoreCase
    ? (line: string): boolean => line.toLowerCase().includes(wanted)
    : (line: string): boolean => line.includes(wanted);
  return {
    match: async (texts, { limit, signal, onFound }) => {
      let room = limit;
      for (const text of texts) {
        signal.throwIfAborted();
        const isOut = !ignoreCase && !text.includes(bytes);
        const shown = { chars: SHOWN_CHARS, beside };
        const found = isOut ? NOTHING : findLines(text.toString("utf8"), test, { limit: room, shown });
        room = Math.max(0, room - found.count);
        onFound(found);
      }
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const NOTHING: Found = { count: 0, lines: [] };

interface Shown {
  /** The part of a long line that is shown, in characters. */
  readonly chars: number;
  readonly beside: number;
}

/** Stands alone: its text is also sent to the worker. */
function findLines(
  text: string,
  test: (line: string) => boolean,
  { limit, shown }: { readonly limit: number; readonly shown: Shown },
): Found {
  const lines: FoundLine[] = [];
  const before: FoundLine[] = [];
  let count = 0;
  let start = 0;
  let after = 0;
  for (let line = 1; start < text.length; line += 1) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const content = text.slice(start, text[end - 1] === "\r" ? end - 1 : end);
    start = end + 1;
    const one = { line, text: content.slice(0, shown.chars) };
    const isFound = test(content);
    if (isFound && count++ < limit) {
      lines.push(...before.splice(0), one);
      after = shown.beside;
    } else if (after > 0) {
      lines.push(isFound ? one : { ...one, beside: true });
      after -= 1;
    } else if (shown.beside > 0) {
      before.push({ ...one, beside: true });
      if (before.length > shown.beside) before.shift();
    }
  }
  return { count, lines };
}

interface WorkerStart {
  readonly pattern: string;
  readonly flags: string;
  readonly shown: Shown;
}

/** Stands alone: only its text reaches the worker. */
function serveMatches(find: typeof findLines): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { pattern, flags, shown } = workerData as WorkerStart;
  const expression = new RegExp(pattern, flags);
  parentPort?.on("message", ({ texts, limit }: { texts: Uint8Array[]; limit: number }) => {
    let room = limit;
    for (const text of texts) {
      const found = find(Buffer.from(text.buffer).toString("utf8"), (line) => expression.test(line), {
        limit: room,
        shown,
      });
      room = Math.max(0, room - found.count);
      parentPort.postMessage(found);
    }
  });
}

/**
 * Runs a regular expression on a thread of its own, because one that backtracks without end can only be stopped with
 * its thread. The thread gets its program as text, so it works the same from sources and from a bundle.
 */
class WorkerMatcher implements LineMatcher {
  readonly #start: WorkerStart;
  #worker: Worker | undefined;

  constructor(start: WorkerStart) {
    this.#start = start;
  }

  async match(texts: readonly Buffer[], { limit, signal, onFound }: Matching): Promise<void> {
    signal.throwIfAborted();
    if (texts.length === 0) return;
    const worker = (this.#worker ??= await this.#open());
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    let left = texts.length;
    const onMessage = (found: Found): void => {
      onFound(found);
      left -= 1;
      if (left === 0) resolve(undefined);
    };
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.on("message", onMessage);
    worker.once("error", reject);
    try {
      // Copied once and handed over: the thread decodes what it gets.
      const own = texts.map((text) => new Uint8Array(text));
      worker.postMessage(
        { texts: own, limit },
        own.map(({ buffer }) => buffer),
      );
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      worker.off("message", onMessage);
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
