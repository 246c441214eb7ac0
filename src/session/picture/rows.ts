import type { Fact, ModelFact } from "../../protocol/fact.ts";
import { callsOf, textOf, type ToolCallPart } from "../../protocol/message.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { apply } from "../../turn/apply.ts";
import type { TurnState } from "../../turn/state.ts";
import { type MarkFact, markOf } from "./marks.ts";
import { type AttemptCosts, attemptRow, personRow, replyEnd, toolRow, warningIn } from "./row-parts.ts";
import type { AttemptEnd, AttemptRow, MarkRow, PersonRow, PictureRow, Span, ToolRow } from "./picture.ts";

type Open<T extends PictureRow> = { -readonly [K in keyof T]: T[K] };
type OpenSpan = Open<Extract<PictureRow, Span>>;
type PlainSpan = Open<Extract<PictureRow, { type: "wait" | "summary" | "parked" }>>;

const COURSE: ReadonlySet<Fact["type"]> = new Set<Fact["type"]>([
  "attempt-start",
  "attempt-cancelled",
  "assistant-message",
  "reply-empty",
  "reply-cut",
  "model-failure",
  "retry-scheduled",
  "request-adjusted",
]);

const isModelFact = (fact: Fact): fact is ModelFact => COURSE.has(fact.type);

type PersonFact = Extract<
  Fact,
  {
    type:
      | "approval-requested"
      | "approval-decided"
      | "question-asked"
      | "question-answered"
      | "money-asked"
      | "money-decided";
  }
>;

/** The name of the question about money among those about calls. */
const MONEY = "money";

/** The rows so far, and those that have not ended. */
export class Drawing {
  readonly rows: PictureRow[] = [];
  private readonly state: TurnState;
  private readonly startMs: number;
  private readonly costs: AttemptCosts;
  private readonly calls = new Map<string, ToolCallPart>();
  private readonly tools = new Map<string, Open<ToolRow>>();
  /** By the place of their receipts. */
  private readonly bySeq = new Map<number, Open<ToolRow>>();
  private readonly people = new Map<string, Open<PersonRow>>();
  private prepare: OpenSpan | undefined;
  private attempt: Open<AttemptRow> | undefined;
  private readonly open = new Map<PlainSpan["type"], PlainSpan>();
  private lastMs = 0;

  constructor(startMs: number, state: TurnState, costs: AttemptCosts) {
    this.startMs = startMs;
    this.state = state;
    this.costs = costs;
  }

  /** Returns when that was, ms since the turn began. */
  add(fact: Fact, atMs: number): number {
    const ms = Math.max(this.lastMs, atMs - this.startMs);
    const { refunded } = this.state;
    apply(this.state, fact);
    if (isModelFact(fact)) this.model(fact, ms);
    else this.course(fact, ms);
    if (this.state.refunded > refunded && this.attempt !== undefined) this.attempt.refunded = true;
    this.lastMs = ms;
    return ms;
  }

  private begin<T extends OpenSpan>(row: T): T {
    this.rows.push(row as PictureRow);
    return row;
  }

  private model(fact: ModelFact, ms: number): void {
    switch (fact.type) {
      case "attempt-start": {
        this.close("wait", ms);
        this.close("summary", ms);
        if (this.prepare !== undefined) this.prepare.endMs ??= ms;
        const row = attemptRow({ fact, ms, provider: this.state.provider, before: this.attempt });
        this.attempt = this.begin(row);
        return;
      }
      case "attempt-cancelled":
        return this.endAttempt({ type: "cancelled" }, ms, fact.usage);
      case "assistant-message": {
        const calls = callsOf(fact.message);
        calls.forEach((call, at) => {
          this.calls.set(call.callId, { ...call, name: fact.inspections?.[at]?.name ?? call.name });
        });
        return this.endAttempt(replyEnd(calls.length, fact.message.interrupted === true), ms, fact.usage);
      }
      case "reply-empty":
        return this.endAttempt({ type: "empty" }, ms, fact.usage);
      case "reply-cut":
        return this.endAttempt({ type: "cut" }, ms, fact.usage);
      case "model-failure": {
        const { reason, status = null } = fact.failure;
        return this.endAttempt({ type: "failed", reason, status }, ms, fact.usage);
      }
      case "retry-scheduled":
        return this.span({ type: "wait", iteration: this.state.iteration, startMs: ms, endMs: null });
      case "request-adjusted":
        return this.mark(fact, ms);
    }
  }

  private endAttempt(end: AttemptEnd, ms: number, usage: Usage | undefined): void {
    const { attempt } = this;
    if (attempt === undefined || attempt.end !== null) return;
    const { cost = null, cacheBroke = false } = this.costs.get(attempt.attempt) ?? {};
    Object.assign(attempt, { endMs: ms, end, usage: usage ?? null, cost, cacheBroke });
  }

  /** One of a kind at a time: a summary that a redirect has cut short ends where the next one begins. */
  private span(row: PlainSpan): void {
    this.close(row.type, row.startMs);
    this.open.set(row.type, this.begin(row));
  }

  private close(type: PlainSpan["type"], ms: number): void {
    const row = this.open.get(type);
    if (row !== undefined) row.endMs ??= ms;
    this.open.delete(type);
  }

  private course(fact: Exclude<Fact, ModelFact>, ms: number): void {
    switch (fact.type) {
      case "turn-start":
        this.prepare = this.begin({ type: "phase", phase: "prepare", startMs: ms, endMs: null });
        return;
      case "segment-start":
        for (const callId of fact.callIds) this.begin(this.tool(callId, ms)).beside = fact.callIds.length;
        return;
      case "receipt":
        return this.receipt(fact, ms);
      case "approval-requested":
      case "approval-decided":
      case "question-asked":
      case "question-answered":
      case "money-asked":
      case "money-decided":
        return this.person(fact, ms);
      case "turn-parked":
        return this.span({ type: "parked", startMs: ms, endMs: null });
      case "turn-unparked":
        return this.close("parked", ms);
      case "summary-start":
        return this.span({ type: "summary", startMs: ms, endMs: null });
      case "turn-end":
        this.finalise(ms);
        this.rows.push({ type: "end", atMs: ms, exit: fact.outcome.exit });
        return;
      case "turn-resumed":
        this.stop(this.lastMs, "lost");
        this.begin({ type: "gap", startMs: this.lastMs, endMs: ms });
        return;
      case "steer-placed": {
        const row = this.bySeq.get(fact.seq);
        if (row !== undefined) row.steered = true;
        return;
      }
      default:
        if (fact.type === "history-compacted" || fact.type === "compaction-failed") this.close("summary", ms);
        return this.mark(fact, ms);
    }
  }

  private receipt({ seq, message, failed, disk }: Extract<Fact, { type: "receipt" }>, ms: number): void {
    const { callId, status } = message;
    const row = this.tools.get(callId) ?? this.begin(this.tool(callId, ms));
    row.endMs ??= ms;
    row.status = failed === true && status === "ok" ? "error" : status;
    row.detail = textOf(message).trim().split("\n", 1)[0] ?? "";
    row.files = (disk?.changes.length ?? 0) + (disk?.more ?? 0);
    row.warning = warningIn(message);
    this.bySeq.set(seq, row);
  }

  private person(fact: PersonFact, ms: number): void {
    switch (fact.type) {
      case "approval-requested":
      case "question-asked": {
        const about = fact.type === "question-asked" ? "question" : "call";
        for (const callId of fact.callIds) this.ask(callId, personRow(about, this.calls.get(callId) ?? callId, ms));
        return;
      }
      case "money-asked":
        return this.ask(MONEY, personRow("money", `$${fact.moreUsd}`, ms));
      case "approval-decided":
        return this.decided(fact.callId, fact.allow, ms);
      case "question-answered":
        return this.decided(fact.callId, fact.text !== "", ms);
      case "money-decided":
        return this.decided(MONEY, fact.allow, ms);
    }
  }

  private ask(id: string, row: Open<PersonRow>): void {
    this.people.set(id, this.begin(row));
  }

  private decided(id: string, allowed: boolean, ms: number): void {
    const row = this.people.get(id);
    if (row !== undefined) Object.assign(row, { endMs: ms, allowed });
  }

  /** What is done between the last step and the end, where nothing is open. */
  private finalise(ms: number): void {
    const open = [this.attempt, this.prepare, ...this.open.values(), ...this.tools.values(), ...this.people.values()];
    const isOpen = open.some((row) => row?.endMs === null);
    if (!isOpen) this.begin({ type: "phase", phase: "finalise", startMs: this.lastMs, endMs: ms });
    this.stop(ms, "stopped");
  }

  /** Nothing of what is open goes on behind this moment. */
  private stop(ms: number, end: "lost" | "stopped"): void {
    this.endAttempt({ type: end }, ms, undefined);
    for (const row of [this.prepare, ...this.tools.values(), ...this.people.values()])
      if (row !== undefined) row.endMs ??= ms;
    for (const type of this.open.keys()) this.close(type, ms);
  }

  private mark(fact: MarkFact, atMs: number): void {
    const mark = markOf(fact);
    if (mark !== undefined) this.rows.push({ type: "mark", atMs, ...mark } satisfies MarkRow);
  }

  private tool(callId: string, ms: number): Open<ToolRow> {
    const row = toolRow(this.calls.get(callId) ?? callId, this.state.iteration, ms);
    this.tools.set(callId, row);
    return row;
  }
}
