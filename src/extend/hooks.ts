import type { ExtendedTurn, HookContext, Hooks } from "../protocol/extension.ts";
import type { Delta, Fact } from "../protocol/fact.ts";
import type { TurnResult } from "../protocol/result.ts";
import { type Guard, type Guest, guest } from "./guard.ts";
import { Iteration } from "./iteration.ts";

export interface HookEntry {
  readonly who: Guest;
  readonly hooks: Hooks;
}

export const hookEntry = (hooks: Hooks): HookEntry => ({ who: guest("hook", hooks), hooks });

/** Calls the hooks of one turn, all of them in the order given, as the loop goes on (row I1). */
export class TurnHooks {
  private readonly entries: readonly HookEntry[];
  private readonly guard: Guard;
  private readonly turn: ExtendedTurn;
  private readonly iteration: Iteration;
  /** Text has been streamed whose end was not told yet. */
  private streaming = false;
  /** Shared by all calls of a batch: none runs before the hooks have seen it. */
  private batch: Promise<void> | undefined;
  /** A fatal hook failed where nobody could be told. */
  private failed: { readonly error: unknown } | undefined;

  constructor(entries: readonly HookEntry[], turn: ExtendedTurn, guard: Guard) {
    this.entries = entries;
    this.guard = guard;
    this.turn = turn;
    this.iteration = new Iteration(turn);
  }

  get iterationNumber(): number {
    return this.iteration.number;
  }

  observe(fact: Fact): void {
    this.iteration.observe(fact);
    if (fact.type === "assistant-message") this.batch = undefined;
  }

  /** A request is about to leave: the iteration before it is over only now, because nobody knew if it would go on. */
  async beforeCall(): Promise<void> {
    await this.endStream(true);
    const { iteration } = this;
    if (!iteration.isOver) return;
    const previousTools = iteration.ran;
    if (iteration.number > 0) await this.each("afterIteration");
    iteration.begin();
    await this.each("beforeIteration");
    const { sessionId, turnId } = this.turn;
    const step = Object.freeze({ sessionId, turnId, iteration: this.iterationNumber, previousTools });
    await this.ask("step", (hooks) => hooks.step?.(step));
  }

  stream(deltas: readonly Delta[]): void {
    for (const delta of deltas) if (delta.type === "text-delta") this.onText(delta.text);
  }

  /** A stream can neither wait nor fail: what a hook throws here, or rejects with later, is named. */
  private onText(text: string): void {
    this.streaming = true;
    for (const { who, hooks } of this.entries) {
      if (hooks.wantsStreaming !== true || hooks.onStream === undefined) continue;
      const failed = (error: unknown): void => this.failedStream(who, error);
      try {
        Promise.resolve(hooks.onStream(this.iteration.context(this.turn.signal), text)).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }

  private failedStream(who: Guest, error: unknown): void {
    try {
      this.guard.name(who, "onStream", error);
    } catch (fatal) {
      this.failed ??= { error: fatal };
    }
  }

  beforeTools(): Promise<void> {
    return (this.batch ??= this.openBatch());
  }

  /** To the loop a failure here is the tool's own; a fatal hook's is kept for the next step. */
  private async openBatch(): Promise<void> {
    try {
      await this.endStream(true);
      await this.each("beforeExecuteTools");
    } catch (error) {
      this.failed ??= { error };
      throw error;
    }
  }

  /** The turn has ended, or waits for a person. Returns the answer as it is to be shown. */
  async afterLoop(result: TurnResult): Promise<string | null> {
    const parked = result.waitingFor.length > 0;
    await this.endStream(parked);
    if (parked) return result.shown;
    const finalContent = await this.finalContent(result);
    this.iteration.fill({ finalContent, stopReason: reasonOf(result), error: result.error?.message });
    if (this.iteration.number > 0) await this.each("afterIteration", false);
    return finalContent;
  }

  private async finalContent({ answer }: TurnResult): Promise<string | null> {
    let content = answer;
    for (const { who, hooks } of this.entries) {
      const before = content;
      if (before === null || hooks.finalizeContent === undefined) continue;
      const work = async (signal: AbortSignal): Promise<string | undefined> => {
        const answered: unknown = await hooks.finalizeContent?.(before, this.iteration.context(signal));
        if (answered === undefined || typeof answered === "string") return answered;
        throw new Error("it returned no text");
      };
      content = (await this.guard.call({ who, what: "finalizeContent", work })) ?? before;
    }
    return content;
  }

  private async endStream(resuming: boolean): Promise<void> {
    if (this.failed !== undefined) throw this.failed.error;
    if (!this.streaming) return;
    this.streaming = false;
    await this.ask("onStreamEnd", (hooks, context) =>
      hooks.wantsStreaming === true ? hooks.onStreamEnd?.(context, resuming) : undefined,
    );
  }

  /** `stoppable`: when the turn is stopped, nobody waits any more. */
  private each(what: "beforeIteration" | "beforeExecuteTools" | "afterIteration", stoppable = true): Promise<void> {
    return this.ask(what, (hooks, context) => hooks[what]?.(context), stoppable);
  }

  private async ask(
    what: Exclude<keyof Hooks, "name" | "fatal" | "wantsStreaming">,
    call: (hooks: Hooks, context: HookContext) => void | Promise<void>,
    stoppable = true,
  ): Promise<void> {
    const stop = stoppable ? { stop: this.turn.signal } : {};
    for (const { who, hooks } of this.entries) {
      if (hooks[what] === undefined) continue;
      await this.guard.call({ who, what, ...stop, work: (signal) => call(hooks, this.iteration.context(signal)) });
    }
  }
}

const reasonOf = ({ exit }: TurnResult): HookContext["stopReason"] => exit.reason as HookContext["stopReason"];
