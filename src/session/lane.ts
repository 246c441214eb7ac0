import type { InterruptSource } from "../protocol/exit.ts";
import type { Delta, Fact } from "../protocol/fact.ts";
import { legalHistory } from "../protocol/history.ts";
import { type Message, userText } from "../protocol/message.ts";
import type { Parked, TurnOutcome, WaitingCall } from "../protocol/outcome.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import type { TurnResult } from "../protocol/result.ts";
import { StoreError, type StoredSession, type Writer } from "../protocol/store.ts";
import { apply } from "../turn/apply.ts";
import { waitingCall } from "../turn/decide.ts";
import { runTurn } from "../turn/run-turn.ts";
import { initialState, type Setup, type TurnState } from "../turn/state.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { Feed } from "./feed.ts";
import { finalise } from "./finalise.ts";
import { type About, refusalResult, storeRefusal, turnResult } from "./result.ts";
import { Turn } from "./turn.ts";

export interface LaneOptions {
  readonly stored: StoredSession;
  readonly setup: Setup;
  readonly ports: Omit<TurnPorts, "sessionId">;
  readonly about: About;
  readonly newId: () => string;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** One session: one turn at a time, and the place where the world's arrivals become facts. */
export class Lane {
  readonly sessionId: string;
  /** A commit failed: memory is ahead of the disk. The lane must be dropped and opened anew. */
  broken = false;
  private readonly options: LaneOptions;
  private readonly writer: Writer;
  private state: TurnState;
  private controller = new AbortController();
  private feed = new Feed();
  private current: Promise<TurnResult> | undefined;
  private arrived: (() => void) | undefined;

  constructor(options: LaneOptions) {
    const { stored, setup } = options;
    this.options = options;
    this.sessionId = stored.sessionId;
    this.writer = stored.writer((facts) => this.feed.committed(facts));
    this.state = initialState(setup, stored.history);
    for (const fact of stored.openTurn) apply(this.state, fact);
  }

  get history(): readonly (Message | undefined)[] {
    return this.state.history;
  }

  /** A turn that has begun and not ended: it is running here, or a crash or an approval left it. */
  get unfinished(): boolean {
    return this.state.turnId !== "" && this.state.outcome === undefined;
  }

  /** The result of the turn that runs here now, or undefined. */
  get running(): Promise<TurnResult> | undefined {
    return this.current;
  }

  /** Starts a turn with a text from `readInput`. The session must be idle and its last turn ended. */
  run(text: string): Turn {
    if (this.unfinished) throw new Error("this session has an unfinished turn");
    const { setup, newId } = this.options;
    const { history, turnId: before, interruptedBy } = this.state;
    const { model, provider, maxIterations } = setup;
    this.state = initialState(setup, history);
    this.record({
      type: "turn-start",
      turnId: newId(),
      seq: history.length,
      message: userText(text),
      model,
      provider,
      maxIterations,
      ...(interruptedBy === "superseded" && { supersedes: before }),
    });
    return this.start();
  }

  /** Goes on with a turn that a crash or an approval left unfinished (row G3). */
  resume(): Turn {
    if (!this.unfinished || this.current !== undefined) throw new Error("this session has no turn to resume");
    this.record({ type: this.state.parked ? "turn-unparked" : "turn-resumed" });
    return this.start();
  }

  /** Closes an unfinished turn instead of going on with it: each open call gets its receipt, nothing is run. */
  supersede(): Promise<TurnResult> {
    this.record({ type: "interrupt-requested", by: "superseded" });
    return this.resume().result;
  }

  /** Adds messages from elsewhere, made legal first. */
  async importMessages(messages: readonly Message[]): Promise<void> {
    if (this.unfinished) throw new Error("this session has an unfinished turn");
    this.record({ type: "history-imported", seq: this.state.history.length, messages: legalHistory(messages) });
    await this.writer.barrier();
  }

  /** Each arrival is a fact at once; resolves to false when no turn took it. */
  async interrupt(by: InterruptSource, message?: string): Promise<boolean> {
    const taken = this.arrive({ type: "interrupt-requested", by, ...(message !== undefined && { message }) });
    if (taken) this.controller.abort();
    return taken && this.kept();
  }

  /** Text for this turn, from `readInput`; it rides on the next receipt that has not been sent (row B8). */
  async steer(text: string): Promise<boolean> {
    return this.arrive({ type: "steer-accepted", steerId: this.options.newId(), text }) && this.kept();
  }

  /** A message for this turn, from `readInput`, delivered when no call is open (row B10). */
  async inject(text: string): Promise<boolean> {
    return this.arrive({ type: "injection-accepted", injectionId: this.options.newId(), text }) && this.kept();
  }

  /** False when this call does not wait for an answer. */
  async approve(callId: string, allow: boolean): Promise<boolean> {
    if (!this.asked.some((call) => call.callId === callId)) return false;
    return this.arrive({ type: "approval-decided", callId, allow }) && this.kept();
  }

  /** The calls that wait for a person's answer now. */
  get asked(): readonly WaitingCall[] {
    if (this.state.interruptedBy !== undefined) return [];
    return [...this.state.open.values()].filter((call) => call.approval === "asked").map(waitingCall);
  }

  /** Gives the session back to whoever wants it next. */
  release(): void {
    this.options.stored.release();
  }

  private arrive(fact: Fact): boolean {
    if (!this.unfinished) return false;
    this.record(fact);
    this.arrived?.();
    return true;
  }

  private async kept(): Promise<true> {
    await this.writer.barrier();
    return true;
  }

  private record(fact: Fact): void {
    apply(this.state, fact);
    this.feed.fact(fact);
    this.writer.append(fact);
  }

  private start(): Turn {
    const { feed } = this;
    if (this.state.interruptedBy !== undefined) this.controller.abort();
    const result = this.drive();
    this.current = result;
    // Asked for before anybody can wait for the result, so it is answered before the next turn begins.
    const messages = result.then(() => this.turnMessages());
    return new Turn(result, messages, feed);
  }

  private turnMessages(): Message[] {
    return this.state.history.slice(this.state.firstSeq).filter((message) => message !== undefined);
  }

  /** The lane is where a bug ends: whatever happened, there is a result. */
  private async drive(): Promise<TurnResult> {
    const { state } = this;
    const { about, ports, log } = this.options;
    const startedMs = ports.clock.now();
    try {
      const outcome = await this.runToEnd();
      const durationMs = ports.clock.now() - startedMs;
      const result = turnResult({ state, outcome, about, sessionId: this.sessionId, durationMs });
      return finalise(result, { state, log });
    } catch (error) {
      return this.lost(error);
    } finally {
      this.feed.end();
      this.feed = new Feed();
      this.controller = new AbortController();
      this.current = undefined;
    }
  }

  private async runToEnd(): Promise<TurnOutcome | Parked> {
    const ports = { ...this.options.ports, sessionId: this.sessionId };
    const log = this.turnLog();
    try {
      return await runTurn(this.state, ports, log);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      this.options.log({ level: "warn", line: `bug ${error instanceof Error ? error.stack : String(error)}` });
      this.record({ type: "bug-caught", message: error instanceof Error ? error.message : String(error) });
      return runTurn(this.state, ports, log);
    }
  }

  private turnLog(): TurnLog {
    const { feed } = this;
    return {
      signal: this.controller.signal,
      record: (fact) => this.record(fact),
      keepRequest: (attempt, request) => this.writer.keepRequest(attempt, request),
      emit: (deltas: readonly Delta[]) => feed.deltas(deltas),
      barrier: () => this.writer.barrier(),
      nextArrival: () => new Promise((resolve) => (this.arrived = resolve)),
    };
  }

  /** The turn cannot be kept any more: say so, and let nobody build on what only memory knows. */
  private lost(error: unknown): TurnResult {
    this.broken = true;
    const message = error instanceof Error ? error.message : String(error);
    const { sessionId } = this;
    const refusal =
      error instanceof StoreError
        ? storeRefusal(error, sessionId)
        : ({ reason: "internal_error", message, sessionId } as const);
    return { ...refusalResult(refusal, this.options.about.language), turnId: this.state.turnId };
  }
}
