import type { Grant, Scope } from "../protocol/approval.ts";
import type { InterruptSource } from "../protocol/exit.ts";
import type { TurnExtension } from "../protocol/extension.ts";
import type { Delta, Fact, HistoryCompacted } from "../protocol/fact.ts";
import { legalHistory, mendHistory } from "../protocol/history.ts";
import type { Message } from "../protocol/message.ts";
import type { Bill, MoneyLimit } from "../protocol/money.ts";
import type { Parked, TurnOutcome, WaitingCall } from "../protocol/outcome.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import type { SessionPrompt } from "../protocol/prompt.ts";
import type { TurnResult } from "../protocol/result.ts";
import { StoreError, type Writer } from "../protocol/store.ts";
import type { Route } from "../protocol/tool.ts";
import type { Waiting } from "../protocol/waiting.ts";
import { reasonOf, stackOf } from "../protocol/reason-of.ts";
import { apply } from "../turn/apply.ts";
import { MAX_INBOX, MAX_REDIRECTS } from "../turn/arrivals.ts";
import { askedCalls } from "../turn/decide.ts";
import { leftOf } from "../turn/purse.ts";
import { runTurn } from "../turn/run-turn.ts";
import { initialState, type TurnState } from "../turn/state.ts";
import { noteTime, waitingOf, type WaitTimes } from "../turn/waiting.ts";
import { answerFact, grantsOf, isNamed, learnFrom, wordsFact } from "./answer.ts";
import { Compacting } from "./compacting.ts";
import { addContext, extended } from "./extended.ts";
import { Feed } from "./feed.ts";
import { finalise } from "./finalise.ts";
import { firstModel } from "./first-model.ts";
import { beat } from "./heartbeat.ts";
import { type LaneInputs, readInput } from "./input.ts";
import { Kit } from "./kit.ts";
import { runtimeContext } from "./runtime-context.ts";
import type { LaneOptions } from "./lane-options.ts";
import { lostResult } from "./lost.ts";
import { turnResult } from "./result.ts";
import { Stopping } from "./stopping.ts";
import { firstFacts } from "./turn-start.ts";
import type { TurnTools } from "./turn-tools.ts";
import { type Arrivals, type OtherModel, Turn, type TurnEnd } from "./turn.ts";

/** One session: one turn at a time, and the place where the world's arrivals become facts. */
export class Lane implements Arrivals {
  readonly sessionId: string;
  /** A commit failed: memory is ahead of the disk. The lane must be dropped and opened anew. */
  broken = false;
  /** What is done between two turns. */
  readonly compacting: Compacting;
  private readonly options: LaneOptions;
  private readonly writer: Writer;
  private readonly kit: Kit;
  private state: TurnState;
  private times: WaitTimes = {};
  private stopping = new Stopping();
  private ephemeralSystem: string | undefined;
  private prompt: SessionPrompt | undefined;
  private feed = new Feed();
  private extension: TurnExtension | undefined;
  private current: Promise<TurnResult> | undefined;
  private arrived: (() => void) | undefined;

  constructor(options: LaneOptions) {
    const { stored, prompt } = options;
    this.options = options;
    this.sessionId = stored.sessionId;
    this.kit = new Kit({ ...options, nonce: stored.nonce, system: prompt?.text ?? "" });
    this.prompt = prompt;
    this.writer = stored.writer((facts) => this.feed.committed(facts));
    this.state = initialState(this.kit.setup, mendHistory(stored.history), stored);
    for (const fact of stored.openTurn) this.follow(fact);
    this.compacting = new Compacting({
      ...options,
      state: () => this.state,
      isIdle: () => !this.unfinished && !this.broken,
      keep: (fact) => this.keep(fact),
    });
  }

  get history(): readonly (Message | undefined)[] {
    return this.state.history;
  }

  /** The turn that runs or ran last; empty before the first. */
  get turnId(): string {
    return this.state.turnId;
  }

  /** Where the message of the turn that runs or ran last came from. */
  get route(): Route | undefined {
    return this.state.asked.route;
  }

  /** A turn that has begun and not ended: it is running here, or a crash or an approval left it. */
  get unfinished(): boolean {
    return this.state.turnId !== "" && this.state.outcome === undefined;
  }

  /** What the unfinished turn waits for now; of a turn taken up again, since this process has it. */
  get waiting(): Waiting | undefined {
    return waitingOf(this.state, this.times);
  }

  /** What the turn that runs or ran last has taken. */
  get bill(): Bill {
    return this.state.ledger.bill;
  }

  /** What may be spent now: of a turn that runs, what it has left; undefined: no limit. */
  get limit(): MoneyLimit | undefined {
    return this.unfinished ? leftOf(this.state) : this.options.limit?.(undefined);
  }

  /** The result of the turn that runs here now, or undefined. */
  get running(): Promise<TurnResult> | undefined {
    return this.current;
  }

  /** Starts a turn with a text from `readInput`; `tools`: others from here on. The session must be idle and its last turn ended. */
  run(text: string, inputs: LaneInputs = {}, tools?: TurnTools): Turn {
    if (this.unfinished) throw new Error("this session has an unfinished turn");
    if (tools !== undefined) this.kit.take(tools);
    const { newId, localTime, ports, program } = this.options;
    const { history, turnId: before, interruptedBy } = this.state;
    const setup = this.kit.setupFor(inputs.maxIterations);
    this.state = initialState(setup, history, this.state);
    const turn = {
      turnId: newId(),
      seq: history.length,
      setup,
      program: program?.(),
      context: runtimeContext(localTime?.(ports.clock.now()), inputs.route, inputs.news),
      limit: this.options.limit?.(inputs.maxCost),
      supersedes: interruptedBy === "superseded" ? before : undefined,
    };
    for (const fact of firstFacts(text, inputs, turn)) this.record(fact);
    this.ephemeralSystem = inputs.ephemeralSystem;
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
    const { history } = this.state;
    await this.keep({ type: "history-imported", seq: history.length, messages: legalHistory(messages, history) });
  }

  async interrupt(by: InterruptSource, words = ""): Promise<boolean> {
    const input = readInput(words);
    const message = input.type === "text" ? { message: input.text } : {};
    const taken = this.arrive({ type: "interrupt-requested", by, ...message });
    if (taken) this.stopping.stop();
    return taken && this.kept();
  }

  async steer(words: string): Promise<boolean> {
    const input = readInput(words);
    if (input.type === "blank") return false;
    return this.arrive({ type: "steer-accepted", steerId: this.options.newId(), text: input.text }) && this.kept();
  }

  async inject(words: string): Promise<boolean> {
    const input = readInput(words);
    if (input.type === "blank" || this.state.injections.length >= MAX_INBOX) return false;
    return (
      this.arrive({ type: "injection-accepted", injectionId: this.options.newId(), text: input.text }) && this.kept()
    );
  }

  async redirect(words: string): Promise<boolean> {
    const input = readInput(words);
    if (input.type === "blank") return false;
    if (this.state.open.size > 0) return this.steer(input.text);
    if (this.state.redirected >= MAX_REDIRECTS) return this.inject(input.text);
    const taken = this.arrive({ type: "redirect-accepted", redirectId: this.options.newId(), text: input.text });
    if (taken) this.stopping.endRequest();
    return taken && this.kept();
  }

  async switchModel(to: OtherModel): Promise<boolean> {
    if (!this.unfinished || this.state.closing !== "none") return false;
    this.arrive({ type: "model-switched", ...this.kit.routes.add(to) });
    // Nobody waits for a server that is not asked again.
    if (!this.state.attemptOpen) this.stopping.endRequest();
    return this.kept();
  }

  async approve(id: string, allow: boolean, scope?: Scope): Promise<boolean> {
    const call = this.asked.find((asked) => asked.question === undefined && isNamed(asked, id));
    if (call === undefined) return false;
    const grants = this.wouldLearn(call);
    const answer = { allow, scope: grants.length === 0 ? undefined : scope };
    const atMs = this.options.ports.clock.now();
    const taken = this.arrive(answerFact(this.state, call, { ...answer, atMs }));
    if (taken) await this.writer.barrier();
    if (taken) await learnFrom(grants, answer, { ...this.options, sessionId: this.sessionId });
    return taken;
  }

  async answer(id: string, words: string): Promise<boolean> {
    const call = this.asked.find((asked) => asked.question !== undefined && isNamed(asked, id));
    return call !== undefined && this.arrive(wordsFact(call, words)) && this.kept();
  }

  /** The rules that a yes for good to this call would write. */
  wouldLearn(call: WaitingCall): readonly Grant[] {
    return grantsOf(call, this.options.rules, this.sessionId);
  }

  /** The calls that wait for a person's answer now. */
  get asked(): readonly WaitingCall[] {
    return askedCalls(this.state);
  }

  /**
   * Sends less of the history from here on: nothing is left out from the first message on that holds the words; where none
   * holds them, they are what a summary keeps above all. Undefined when that cannot be, when a turn runs or begins
   * meanwhile, and when the signal aborts.
   */
  async compact(words: string, signal?: AbortSignal): Promise<HistoryCompacted | undefined> {
    return this.unfinished ? undefined : this.compacting.ask(words, signal);
  }

  /** Keeps what an auxiliary call took; a turn that runs now counts it as its own. */
  async charge(run: Extract<Fact, { type: "auxiliary-run" }>): Promise<void> {
    await this.keep(run);
  }

  /** Gives the session back to whoever wants it next. */
  release(): void {
    this.compacting.stop();
    this.options.stored.release();
  }

  private arrive(fact: Fact): boolean {
    if (!this.unfinished) return false;
    this.record(fact);
    this.arrived?.();
    return true;
  }

  private keep(fact: Fact): Promise<true> {
    this.record(fact);
    return this.kept();
  }

  private async kept(): Promise<true> {
    await this.writer.barrier();
    return true;
  }

  private record(fact: Fact): void {
    this.follow(fact);
    this.feed.fact(fact);
    this.writer.append(fact);
    this.options.trace?.(fact, { session: this.sessionId, turn: this.state.turnId });
    this.extension?.observe(fact);
  }

  private follow(fact: Fact): void {
    apply(this.state, fact);
    noteTime(this.times, fact, this.options.ports.clock.now());
  }

  private start(): Turn {
    const { feed, state } = this;
    this.kit.keepFor(state, this.writer);
    this.keepPrompt();
    this.compacting.stop();
    if (state.interruptedBy !== undefined || state.timeUp !== undefined) this.stopping.stop();
    const end = this.drive();
    this.current = end.then(({ result }) => result);
    const isOn = (): boolean => this.state === state && state.outcome === undefined;
    return new Turn({ end, feed, arrivals: this, isOn });
  }

  /** In the first commit of the turn that is the first to send it. */
  private keepPrompt(): void {
    const { built, text = "" } = this.prompt ?? {};
    this.prompt = undefined;
    if (built === undefined) return;
    this.record(built);
    this.writer.keepPrompt(text);
  }

  /** The lane is where a bug ends: whatever happened, there is a result. */
  private async drive(): Promise<TurnEnd> {
    const { state } = this;
    const { about, ports, log, onUndelivered, consolidates } = this.options;
    const startedMs = ports.clock.elapsed();
    const timer = new AbortController();
    const timing = this.watchTime(timer.signal);
    const life = beat(ports.clock, () => this.tellLife(), timer.signal);
    let result: TurnResult;
    try {
      const outcome = await this.runToEnd();
      const durationMs = Math.round(ports.clock.elapsed() - startedMs);
      const followed = onUndelivered !== undefined;
      const raw = turnResult({ state, outcome, about, sessionId: this.sessionId, durationMs, followed });
      const background = (ended: TurnResult): void => this.tellEnded(ended, state);
      const { language = "en" } = about;
      result = await finalise(raw, { state, log, language, extension: this.extension, background });
    } catch (error) {
      result = this.lost(error);
      this.tellEnded(result, state);
    }
    timer.abort();
    await Promise.all([timing, life]);
    const messages = state.history.slice(state.firstSeq).filter((message) => message !== undefined);
    this.settle();
    if (!this.broken) onUndelivered?.(this, state.outcome?.undelivered ?? []);
    if (consolidates === true && result.ok) this.compacting.consider();
    this.options.onIdle?.();
    return { result, messages };
  }

  private tellEnded(result: TurnResult, { turnId, history, firstSeq }: TurnState): void {
    this.options.afterTurn?.({ sessionId: this.sessionId, turnId, result, history, firstSeq });
  }

  /** The next turn may begin. */
  private settle(): void {
    this.feed.end();
    this.feed = new Feed();
    this.stopping = new Stopping();
    this.ephemeralSystem = undefined;
    this.extension = undefined;
    this.current = undefined;
  }

  /** A turn that is resumed has its time anew: what it waited for a person or a process counts for nothing. */
  private async watchTime(signal: AbortSignal): Promise<void> {
    const { maxTimeMs: limitMs, ports } = this.options;
    if (limitMs === undefined) return;
    await ports.clock.sleep(limitMs, signal, "aside");
    if (!signal.aborted && this.arrive({ type: "deadline-reached", limitMs })) this.stopping.stop();
  }

  private tellLife(): void {
    const { waiting } = this;
    if (waiting !== undefined) this.feed.deltas([{ type: "activity-delta", waiting }]);
  }

  private async runToEnd(): Promise<TurnOutcome | Parked> {
    const { sessionId, ephemeralSystem } = this;
    const own = { ...this.options.ports, ...this.kit.ports, sessionId, ephemeralSystem };
    const log = this.turnLog();
    const extension = this.openExtension(own, log.signal);
    const ports = extension === undefined ? own : { ...own, model: extension.model, tools: extension.tools };
    try {
      await firstModel(this.state, this.kit.routes, log);
      if (extension !== undefined) await addContext(extension, this.state, log);
      return await runTurn(this.state, ports, log);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const fields = { event: "bug", session: sessionId, turn: this.state.turnId };
      this.options.log({ level: "warn", line: `bug ${stackOf(error)}`, fields });
      this.record({ type: "bug-caught", message: reasonOf(error) });
      return runTurn(this.state, ports, log);
    }
  }

  private openExtension(ports: TurnPorts, signal: AbortSignal): TurnExtension | undefined {
    const { extend, log } = this.options;
    this.extension = extend && extended({ extend, state: this.state, ports, signal, log });
    return this.extension;
  }

  private turnLog(): TurnLog {
    const { feed } = this;
    return {
      signal: this.stopping.signal,
      requestSignal: () => this.stopping.nextRequest(),
      record: (fact) => this.record(fact),
      keepRequest: (request) => this.writer.keepRequest(request),
      emit: (deltas: readonly Delta[]) => feed.deltas(deltas),
      barrier: () => this.writer.barrier(),
      nextArrival: () => new Promise((resolve) => (this.arrived = resolve)),
    };
  }

  /** The turn cannot be kept any more: say so, and let nobody build on what only memory knows. */
  private lost(error: unknown): TurnResult {
    this.broken = true;
    const { sessionId, state, extension, options } = this;
    const { language } = options.about;
    return lostResult(error, { sessionId, turnId: state.turnId, language, cleanupErrors: extension?.troubles() ?? [] });
  }
}
