import type { Compaction, CompactionCause } from "../protocol/projection/compaction.ts";
import type { HistoryCompacted } from "../protocol/fact.ts";
import type { Compactor, Summarised } from "../protocol/ports.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { MAX_STRIKES } from "../protocol/window.ts";
import { knownWeight, targetOf, threshold, weights } from "../turn/pressure.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { StoredSession } from "../protocol/store.ts";
import type { View } from "../turn/state.ts";
import { ASKED_SHARES, placeOf, smaller } from "./smaller.ts";

/** From this share of the threshold on, a conversation is made smaller between two turns (row F4). */
const SOFT_LIMIT = 0.8;
/** What is aimed at then, as a share of the threshold (nanobot.md §5.3). */
const CONSOLIDATION = 0.5;

/** The session that is made smaller. */
export interface CompactingHost {
  readonly stored: Pick<StoredSession, "sessionId">;
  readonly ports: { readonly compactor: Compactor };
  readonly state: () => View;
  /** Records and keeps a fact; rejects with StoreError. */
  readonly keep: (fact: HistoryCompacted) => Promise<unknown>;
  /** Nothing runs, and the last turn has ended. */
  readonly isIdle: () => boolean;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** One session's compactions between its turns: one at a time, and a turn that begins ends it. */
export class Compacting {
  private readonly host: CompactingHost;
  private controller = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  /** So many go on, or wait for one that does. */
  private on = 0;
  /** So many wait for a compaction that they asked for. */
  private asking = 0;

  constructor(host: CompactingHost) {
    this.host = host;
  }

  /** What goes on is given up: its result is dropped, what it cost is counted. */
  stop(): void {
    this.controller.abort();
  }

  get isOn(): boolean {
    return this.on > 0;
  }

  get isAsked(): boolean {
    return this.asking > 0;
  }

  /** Ends what goes on, and resolves when it has ended. */
  async rest(): Promise<void> {
    this.stop();
    await this.running;
  }

  /**
   * Somebody wants less to be sent. From the first message on that holds the words, nothing is left out; where none holds
   * them, they say what the summary is to keep above all. Undefined: nothing can be left out, or it was stopped.
   */
  async ask(words: string, signal?: AbortSignal): Promise<HistoryCompacted | undefined> {
    const { history, compaction } = this.host.state();
    // What was left out before cannot be kept: there the words say what the summary is to tell of.
    const keepFrom = placeOf(history, words, compaction?.from ?? 0);
    const focus = keepFrom === undefined && words !== "" ? words : undefined;
    const [share] = ASKED_SHARES;
    const target = targetOf(this.host.state(), share);
    this.asking++;
    try {
      return await this.follow(this.compact({ because: "asked", target, focus, keepFrom }, signal));
    } finally {
      this.asking--;
    }
  }

  /** Makes a long conversation smaller while nobody waits. */
  consider(): void {
    const { host } = this;
    const target = consolidationTarget(host.state());
    if (target === undefined || host.ports.compactor.summarise === undefined || !host.isIdle()) return;
    this.follow(this.compact({ because: "background", target })).catch((error: unknown) => this.tell(reasonOf(error)));
  }

  private follow<T>(work: Promise<T>): Promise<T> {
    this.on++;
    const over = (): number => this.on--;
    work.then(over, over);
    this.running = Promise.allSettled([this.running, work]);
    return work;
  }

  private async compact(wanted: Wanted, signal?: AbortSignal): Promise<HistoryCompacted | undefined> {
    const { host } = this;
    this.stop();
    const controller = new AbortController();
    this.controller = controller;
    const either = signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]);
    const summed = await this.summarise(wanted, either);
    if (either.aborted || !host.isIdle()) return undefined;
    const fact = this.factOf(wanted, summed);
    if (fact !== undefined) await host.keep(fact);
    return fact;
  }

  private async summarise({ because, ...wanted }: Wanted, signal: AbortSignal): Promise<Summarised | undefined> {
    const { ports, stored, state } = this.host;
    const { history, compaction } = state();
    const { sessionId } = stored;
    const asked = because === "asked";
    return ports.compactor.summarise?.({ ...wanted, history, compaction, sessionId, asked }, signal);
  }

  /** What nobody waits for is not done by rules: the next turn does that when it has to. */
  private factOf({ because, keepFrom }: Wanted, summed: Summarised | undefined): HistoryCompacted | undefined {
    const { ports, state, stored } = this.host;
    if (summed !== undefined && "compaction" in summed) return factOf(because, state(), summed.compaction);
    if (because === "background") {
      if (summed !== undefined) this.tell(summed.trouble);
      return undefined;
    }
    const compaction = smaller(ports.compactor, { ...stored, ...state() }, keepFrom);
    const fact = compaction && factOf(because, state(), compaction);
    return fact && summed !== undefined ? { ...fact, trouble: summed.trouble } : fact;
  }

  /** Of what nobody waited for. */
  private tell(trouble: string): void {
    const { log, stored } = this.host;
    log({ level: "info", line: `summary ${trouble}`, fields: { event: "summary", session: stored.sessionId } });
  }
}

interface Wanted {
  readonly because: Extract<CompactionCause, "asked" | "background">;
  /** Tokens. */
  readonly target: number;
  readonly focus?: string | undefined;
  readonly keepFrom?: number | undefined;
}

const factOf = (because: Wanted["because"], state: View, compaction: Compaction): HistoryCompacted => ({
  type: "history-compacted",
  compaction,
  because,
  tokens: weights(state, compaction),
});

/** Undefined where the conversation is not long, or nobody knows what its model takes. */
function consolidationTarget(state: View): number | undefined {
  const { contextWindow, strikes, interruptedBy, setup } = state;
  const tokens = knownWeight(state);
  if (contextWindow === undefined || tokens === undefined || interruptedBy !== undefined) return undefined;
  const limit = threshold(contextWindow, setup.maxOutput);
  if (strikes >= MAX_STRIKES || tokens < limit * SOFT_LIMIT) return undefined;
  return targetOf(state, (limit * CONSOLIDATION) / tokens);
}
