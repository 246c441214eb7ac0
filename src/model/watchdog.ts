import type { CallLimits } from "./stream-limits.ts";

/** Time as the watchdog needs it; tests bring their own. */
export interface Timers {
  /** Milliseconds from any fixed instant; never goes back. */
  now(): number;
  /** Calls `fire` once after `ms`; the returned function takes that back. */
  set(ms: number, fire: () => void): () => void;
}

/** The longest delay a Node timer can hold, ms. */
const LONGEST = 2_147_483_647;

export const systemTimers: Timers = {
  now: () => performance.now(),
  set: (ms, fire) => {
    const timer = setTimeout(fire, Math.min(ms, LONGEST));
    return () => clearTimeout(timer);
  },
};

export type Stall = "first-byte" | "idle" | "call";

/** Watches one call with one timer that is moved only when it fires, so that life costs no timer operations. */
export class Watchdog {
  readonly #limits: CallLimits;
  readonly #timers: Timers;
  readonly #onStall: (stall: Stall, ms: number) => void;
  readonly #started: number;
  #lastLife: number | undefined;
  #looksAgain = false;
  #cancel: () => void = () => undefined;

  constructor(limits: CallLimits, timers: Timers, onStall: (stall: Stall, ms: number) => void) {
    this.#limits = limits;
    this.#timers = timers;
    this.#onStall = onStall;
    this.#started = timers.now();
    this.#arm(this.#started);
  }

  /** The first byte of the reply is here; from now on content counts. */
  byte(): void {
    this.#lastLife ??= this.#timers.now();
  }

  content(): void {
    this.#lastLife = this.#timers.now();
  }

  stop(): void {
    this.#cancel();
  }

  #next(): { readonly at: number; readonly stall: Stall; readonly ms: number } {
    const { firstByteMs, idleMs, callMs } = this.#limits;
    const call = { at: this.#started + callMs, stall: "call", ms: callMs } as const;
    const silence =
      this.#lastLife === undefined
        ? ({ at: this.#started + firstByteMs, stall: "first-byte", ms: firstByteMs } as const)
        : ({ at: this.#lastLife + idleMs, stall: "idle", ms: idleMs } as const);
    return silence.at < call.at ? silence : call;
  }

  #arm(now: number): void {
    const { at } = this.#next();
    // Before the first byte the limit may shrink when that byte comes (idle shorter than first byte), so look again by then.
    const wait = this.#lastLife === undefined ? Math.min(at - now, this.#limits.idleMs) : at - now;
    this.#cancel = this.#timers.set(wait, () => this.#check());
  }

  #check(): void {
    const now = this.#timers.now();
    const next = this.#next();
    if (now < next.at) {
      this.#looksAgain = false;
      this.#arm(now);
    } else if (next.stall === "call" || this.#looksAgain) this.#onStall(next.stall, next.ms);
    else this.#lookAgain();
  }

  /** A process that stood still reads what has come meanwhile before it takes its own silence for the server's. */
  #lookAgain(): void {
    this.#looksAgain = true;
    this.#cancel = this.#timers.set(0, () => this.#check());
  }
}
