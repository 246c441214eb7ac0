import type { Hooks } from "../protocol/extension.ts";
import { reasonOf } from "../protocol/reason-of.ts";

/** Somebody else's code, as reports name it. */
export interface Guest {
  /** `hook audit`, `plug-in clock`, … */
  readonly label: string;
  readonly fatal: boolean;
}

export const guest = (kind: string, { name = "without a name", fatal }: Pick<Hooks, "name" | "fatal">): Guest => ({
  label: `${kind} ${name}`,
  fatal: fatal === true,
});

export interface GuardOptions {
  /** How long one call may take before nobody waits for it any more, ms. */
  readonly limitMs: number;
  readonly log: (line: string) => void;
}

export interface Ask<T> {
  readonly who: Guest;
  readonly what: string;
  /** The work ends early, without a word, when this is aborted. */
  readonly stop?: AbortSignal;
  /** `limit` may be paused while the guest waits for us. */
  readonly work: (signal: AbortSignal, limit: Limit) => T | Promise<T>;
}

/** Calls the guests of one turn: what they throw is named, and one that hangs is not called again. */
export class Guard {
  private readonly options: GuardOptions;
  private readonly lines = new Set<string>();
  private readonly hanging = new Set<Guest>();

  constructor(options: GuardOptions) {
    this.options = options;
  }

  get troubles(): readonly string[] {
    return [...this.lines];
  }

  /** Undefined when there is no answer; rejects for a fatal guest alone. */
  async call<T>({ who, what, stop, work }: Ask<T>): Promise<T | undefined> {
    if (this.hanging.has(who)) return undefined;
    const controller = new AbortController();
    const limit = new Limit(this.options.limitMs);
    const left = stop === undefined ? undefined : whenAborted(stop, controller.signal);
    try {
      const working = (async () => work(controller.signal, limit))();
      return await Promise.race([working, limit.over, ...(left === undefined ? [] : [left])]);
    } catch (error) {
      if (limit.ranOut) this.hanging.add(who);
      this.name(who, what, error);
      return undefined;
    } finally {
      limit.end();
      controller.abort();
    }
  }

  /** Keeps a trouble. */
  note(line: string): void {
    if (this.lines.has(line) || this.lines.size >= MOST_TROUBLES) return;
    this.options.log(line);
    this.lines.add(line);
  }

  /** Keeps a trouble under the guest's name; throws it on for a fatal one. */
  name(who: Guest, what: string, error: unknown): void {
    const line = `${who.label}: ${what}: ${shortly(reasonOf(error))}`;
    this.note(line);
    if (who.fatal) throw new Error(line, { cause: error });
  }
}

/** Troubles of one turn that are told; a guest that fails at every piece of a reply has said enough by then. */
const MOST_TROUBLES = 100;

/** Characters of what a guest says went wrong that are kept. */
const MOST_SAID = 500;

const shortly = (why: string): string => (why.length > MOST_SAID ? `${why.slice(0, MOST_SAID).toWellFormed()}…` : why);

/** Runs out when it has run for its whole time without a pause. */
export class Limit {
  readonly over: Promise<never>;
  ranOut = false;
  private readonly ms: number;
  private readonly runOut: () => void;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(ms: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.over = promise;
    this.ms = ms;
    this.runOut = () => {
      this.ranOut = true;
      reject(new Error(`it had no answer after ${ms} ms, so it is left alone for this turn`));
    };
    this.go();
  }

  go(): void {
    this.pause();
    if (!this.ended) this.timer = setTimeout(this.runOut, this.ms);
  }

  pause(): void {
    clearTimeout(this.timer);
  }

  end(): void {
    this.ended = true;
    this.pause();
  }
}

function whenAborted(stop: AbortSignal, done: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const leave = (): void => resolve(undefined);
    if (stop.aborted) leave();
    else stop.addEventListener("abort", leave, { once: true, signal: done });
  });
}
