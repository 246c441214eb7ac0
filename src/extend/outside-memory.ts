import { withoutFences } from "../protocol/context.ts";
import type { Informant, KeptTurn, MemoryProvider, PrefetchInput, Told } from "../protocol/extension.ts";
import { RECALLED } from "../protocol/taint.ts";
import { Guard, type Guest, guest } from "./guard.ts";

/** How long it may take to keep a turn, ms: nobody waits for it. */
const KEEP_MS = 30_000;

/**
 * A memory outside this program. One that throws or has no answer in time costs that once and is named; from then on it is
 * left alone, in all sessions, until it answers again: it is looked after behind a turn, where nobody waits (row A11).
 */
export class OutsideMemory {
  private readonly provider: MemoryProvider;
  private readonly who: Guest;
  /** ms */
  private readonly limitMs: number;
  /** Why it is left alone; undefined: it is well. */
  private out: string | undefined;
  /** So many calls have not come back that nobody waits for any more. */
  private late = 0;
  private last: PrefetchInput | undefined;

  constructor(provider: MemoryProvider, limitMs: number) {
    this.provider = provider;
    this.who = guest("memory", provider);
    this.limitMs = limitMs;
  }

  /** Once per turn, before its first model call. */
  readonly recall: Informant = async ({ sessionId, turnId, prompt, signal }) => {
    const { label } = this.who;
    if (this.out !== undefined)
      return { contexts: [], troubles: [`${label}: it is left alone until it answers again (${this.out})`] };
    const input = { sessionId, turnId, prompt };
    this.last = input;
    const { answer, troubles } = await this.ask("prefetch", this.limitMs, signal, (limit) =>
      this.provider.prefetch(input, limit),
    );
    return { contexts: contextsOf(answer), troubles };
  };

  /**
   * Behind a turn: looks whether it is well again, and has it keep the turn. Whoever is leaving does not wait for the look.
   * Rejects with what went wrong.
   */
  async keep(turn: KeptTurn | undefined, signal: AbortSignal, leaving: AbortSignal): Promise<void> {
    if (this.out !== undefined) await this.look(AbortSignal.any([signal, leaving]));
    const { provider } = this;
    if (turn === undefined || provider.sync === undefined || signal.aborted) return;
    if (this.out !== undefined) throw new Error(`${this.who.label}: the turn was not kept: ${this.out}`);
    const { troubles } = await this.ask("sync", KEEP_MS, signal, async (limit) => {
      await provider.sync?.(turn, limit);
      return "";
    });
    const [trouble] = troubles;
    if (trouble !== undefined) throw new Error(trouble);
  }

  async close(): Promise<void> {
    await this.provider.close?.();
  }

  private async look(signal: AbortSignal): Promise<void> {
    const { provider, last } = this;
    // Whoever has not come back yet is not asked for more.
    if (this.late > 0 || last === undefined) return;
    await this.ask("health", this.limitMs, signal, async (limit) => {
      if (provider.health === undefined) await provider.prefetch(last, limit);
      else await provider.health(limit);
      return "";
    });
  }

  /** How it went decides whether it is well. */
  private async ask(
    what: string,
    limitMs: number,
    stop: AbortSignal,
    work: (limit: AbortSignal) => unknown,
  ): Promise<{ readonly answer: string | undefined; readonly troubles: readonly string[] }> {
    const guard = new Guard({ limitMs, log: () => undefined });
    let isLate = false;
    let isBack = false;
    const back = (): void => {
      isBack = true;
      if (isLate) this.late -= 1;
    };
    const asking = (limit: AbortSignal): Promise<string> => {
      const answering = (async () => readText(await work(limit)))();
      answering.then(() => {
        back();
        this.out = undefined;
      }, back);
      return answering;
    };
    const answer = await guard.call({ who: this.who, what, stop, work: asking });
    const { troubles } = guard;
    if (troubles.length > 0) {
      this.out = troubles[0]?.slice(this.who.label.length + 2);
      isLate = !isBack;
      if (isLate) this.late += 1;
    }
    return { answer, troubles };
  }
}

/** Other people's code may answer with anything. */
function readText(answered: unknown): string {
  if (typeof answered === "string") return withoutFences(answered.toWellFormed().replaceAll("\0", "")).trim();
  throw new Error("it returned no text");
}

const contextsOf = (text = ""): Told["contexts"] => (text === "" ? [] : [{ type: "context", source: RECALLED, text }]);
