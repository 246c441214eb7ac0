import { setTimeout as delay } from "node:timers/promises";
import type { Ended, Launched } from "../terminal/launch.ts";
import { endTree, endTreeNow, type Member, membersOf } from "../terminal/process-tree.ts";
import { type Handle, treeOf } from "./handle.ts";
import type { RollingLog } from "./rolling-log.ts";

/** How it ended; `end` undefined: nobody saw it. */
export interface Past {
  readonly end: Ended | undefined;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

interface Parts {
  readonly handle: Handle;
  readonly log: RollingLog;
  /** Absent: an earlier life of the program started it, and its output goes nowhere. */
  readonly launched?: Launched;
  readonly endElsewhere?: (() => Promise<void>) | undefined;
  readonly now: () => number;
  readonly onEnd: (process: Background) => void;
}

/** Between two looks at what tells nobody that it ends, ms. */
const LOOK_MS = 100;
/** What was printed last may still be on its way, ms. */
const DRAIN_MS = 300;

/** One process that runs beside a session. */
export class Background {
  readonly handle: Handle;
  readonly log: RollingLog;
  /** Whoever looks after it knows of its end. */
  isTold = false;
  /** How far its output was told. */
  polled = 0;
  readonly #parts: Parts;
  #shell: Ended | undefined;
  #past: Past | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.handle = parts.handle;
    this.log = parts.log;
    const { launched } = parts;
    if (launched === undefined) return;
    launched.onOutput((chunk) => this.log.push(chunk));
    this.#follow(launched).catch(() => undefined);
  }

  /** It was started by an earlier life of the program. */
  get isAdopted(): boolean {
    return this.#parts.launched === undefined;
  }

  /** Looks; undefined: it runs. */
  past(): Past | undefined {
    const isSeen = this.#shell !== undefined || this.isAdopted;
    if (this.#past === undefined && isSeen && this.members().length === 0) this.#finish();
    return this.#past;
  }

  /** All of it that runs. */
  members(): readonly Member[] {
    const tree = treeOf(this.handle);
    return tree === undefined ? [] : membersOf(tree);
  }

  /** False: it takes no input. */
  write(text: string): boolean {
    return this.past() === undefined && this.#parts.launched?.write(text) === true;
  }

  /** Resolves when it has ended, after `ms`, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + ms;
    while (this.past() === undefined && !signal.aborted) {
      const left = deadline - performance.now();
      if (left <= 0) return;
      await delay(Math.min(LOOK_MS, left), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Ends it with all that it started; resolves with what could not be ended. */
  async end(): Promise<readonly Member[]> {
    const tree = treeOf(this.handle);
    const [left] = await Promise.all([tree === undefined ? [] : endTree(tree), this.#parts.endElsewhere?.()]);
    // Its end is on its way.
    if (left.length === 0) await this.wait(DRAIN_MS, new AbortController().signal);
    return left;
  }

  endNow(): void {
    const tree = treeOf(this.handle);
    if (tree !== undefined && this.#past === undefined) endTreeNow(tree);
  }

  async #follow(launched: Launched): Promise<void> {
    const { exit, closed } = launched;
    this.#shell = await exit;
    await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
    if (this.past() === undefined) {
      // What its shell has left behind keeps its output open, as a rule.
      await closed;
      this.past();
    }
    launched.release();
  }

  #finish(): void {
    this.log.end();
    this.#past = { end: this.#shell, atMs: this.#parts.now() };
    this.#parts.onEnd(this);
  }
}
