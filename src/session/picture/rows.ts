import type { ExitReason } from "../../protocol/exit.ts";
import type { AttemptStart, EmptyRung, Fact, ModelFact } from "../../protocol/fact.ts";
import type { FailureReason } from "../../protocol/failure.ts";
import { callsOf, type ReceiptStatus, textOf, type ToolCallPart } from "../../protocol/message.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { StoredTurn } from "../../protocol/store.ts";
import { apply } from "../../turn/apply.ts";
import type { TurnState } from "../../turn/state.ts";
import type { PICTURE_MARKS } from "../../words/picture.ts";
import { toolHint } from "../tool-hint.ts";
import { stateBefore } from "../unfinished.ts";

/** Both in ms since the turn began; `endMs` is null while it goes on. */
interface Span {
  readonly startMs: number;
  readonly endMs: number | null;
}

/** What came of one try of a model call. */
export type AttemptEnd =
  | { readonly type: "answer" }
  | { readonly type: "calls"; readonly count: number }
  | { readonly type: "failed"; readonly reason: FailureReason; readonly status: number | null }
  | { readonly type: "empty" | "cut" | "cancelled" | "stopped" }
  /** Its process went before anything of it was kept. */
  | { readonly type: "lost" };

export interface AttemptRow extends Span {
  readonly type: "attempt";
  readonly iteration: number;
  /** Counts through the turn. */
  readonly attempt: number;
  /** Counts through the iteration, from 1. */
  readonly tries: number;
  readonly model: string;
  /** The last word, without tools. */
  readonly grace: boolean;
  readonly rung: EmptyRung | null;
  /** The iteration was given back. */
  readonly refunded: boolean;
  readonly end: AttemptEnd | null;
  readonly usage: Usage | null;
}

export interface ToolRow extends Span {
  readonly type: "tool";
  readonly iteration: number;
  readonly callId: string;
  readonly name: string;
  /** As people would write the call. */
  readonly hint: string;
  /** Null while it runs, and of one whose process went: its call has its receipt in a row behind. */
  readonly status: ReceiptStatus | null;
  /** The first line of its receipt. */
  readonly detail: string;
  /** What the user said meanwhile rides on its receipt. */
  readonly steered: boolean;
}

/** What came from outside, or happened at one moment. */
export interface MarkRow {
  readonly type: "mark";
  readonly atMs: number;
  readonly mark: Mark;
  readonly text: string;
}

type Mark = keyof typeof PICTURE_MARKS;

export type PictureRow =
  | AttemptRow
  | ToolRow
  /** The pause before the next attempt. */
  | (Span & { readonly type: "wait"; readonly iteration: number })
  /** A call that needs a person's word. */
  | (Span & { readonly type: "person"; readonly hint: string; readonly allowed: boolean | null })
  /** No process worked on it: somebody had to decide. */
  | (Span & { readonly type: "parked" })
  | MarkRow
  | { readonly type: "end"; readonly atMs: number; readonly exit: ExitReason };

/** A turn as its facts tell it, in the order in which things began. */
export interface TurnPicture {
  readonly turnId: string;
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  readonly rows: readonly PictureRow[];
  /** From the first fact to the last one. */
  readonly tookMs: number;
  readonly iterations: { readonly used: number; readonly limit: number; readonly refunded: number };
  readonly retries: number;
  readonly exit: ExitReason | null;
  readonly usage: Usage;
}

/** The picture of a turn: a pure fold over what was recorded. */
export function pictureOf({ turnId, sessionId, facts }: StoredTurn): TurnPicture {
  const drawing = new Drawing(facts[0]?.atMs ?? 0, stateBefore(facts.map(({ fact }) => fact)));
  for (const { fact, atMs } of facts) drawing.add(fact, atMs);
  const { state, rows } = drawing;
  const { setup, iteration, refunded, retries, usage, outcome } = state;
  return {
    turnId,
    sessionId,
    provider: setup.provider,
    model: setup.model,
    rows,
    tookMs: (facts.at(-1)?.atMs ?? 0) - (facts[0]?.atMs ?? 0),
    iterations: { used: iteration, limit: setup.maxIterations, refunded },
    retries,
    exit: outcome?.exit ?? null,
    usage,
  };
}

type Open<T extends PictureRow> = { -readonly [K in keyof T]: T[K] };
type OpenSpan = Open<Extract<PictureRow, Span>>;

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

/** The rows so far, and those that have not ended. */
class Drawing {
  readonly rows: PictureRow[] = [];
  readonly state: TurnState;
  private readonly startMs: number;
  private readonly calls = new Map<string, ToolCallPart>();
  private readonly tools = new Map<string, Open<ToolRow>>();
  /** By the place of their receipts. */
  private readonly bySeq = new Map<number, Open<ToolRow>>();
  private readonly people = new Map<string, Open<Extract<PictureRow, { type: "person" }>>>();
  private attempt: Open<AttemptRow> | undefined;
  private wait: Open<Extract<PictureRow, { type: "wait" }>> | undefined;
  private parked: Open<Extract<PictureRow, { type: "parked" }>> | undefined;
  private lastMs = 0;

  constructor(startMs: number, state: TurnState) {
    this.startMs = startMs;
    this.state = state;
  }

  add(fact: Fact, atMs: number): void {
    const ms = Math.max(this.lastMs, atMs - this.startMs);
    const { refunded } = this.state;
    apply(this.state, fact);
    if (isModelFact(fact)) this.model(fact, ms);
    else this.course(fact, ms);
    if (this.state.refunded > refunded && this.attempt !== undefined) this.attempt.refunded = true;
    this.lastMs = ms;
  }

  private begin<T extends OpenSpan>(row: T): T {
    this.rows.push(row as PictureRow);
    return row;
  }

  private model(fact: ModelFact, ms: number): void {
    switch (fact.type) {
      case "attempt-start":
        if (this.wait !== undefined) this.wait.endMs = ms;
        this.wait = undefined;
        this.attempt = this.begin(attemptRow(fact, ms, this.attempt));
        return;
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
        this.wait = this.begin({ type: "wait", iteration: this.state.iteration, startMs: ms, endMs: null });
        return;
      case "request-adjusted":
        return this.mark("adjusted", ms);
    }
  }

  private endAttempt(end: AttemptEnd, ms: number, usage: Usage | undefined): void {
    if (this.attempt === undefined || this.attempt.end !== null) return;
    this.attempt.endMs = ms;
    this.attempt.end = end;
    this.attempt.usage = usage ?? null;
  }

  private course(fact: Exclude<Fact, ModelFact>, ms: number): void {
    switch (fact.type) {
      case "segment-start":
        for (const callId of fact.callIds) this.tools.set(callId, this.begin(this.toolRow(callId, ms)));
        return;
      case "receipt": {
        const { callId, status } = fact.message;
        const row = this.tools.get(callId) ?? this.begin(this.toolRow(callId, ms));
        row.endMs ??= ms;
        row.status = status;
        row.detail = textOf(fact.message).trim().split("\n", 1)[0] ?? "";
        this.bySeq.set(fact.seq, row);
        return;
      }
      case "approval-requested":
        for (const callId of fact.callIds) this.people.set(callId, this.begin(this.personRow(callId, ms)));
        return;
      case "approval-decided": {
        const row = this.people.get(fact.callId);
        if (row !== undefined) Object.assign(row, { endMs: ms, allowed: fact.allow });
        return;
      }
      case "turn-parked":
        this.parked = this.begin({ type: "parked", startMs: ms, endMs: null });
        return;
      case "turn-unparked":
        if (this.parked !== undefined) this.parked.endMs = ms;
        this.parked = undefined;
        return;
      case "turn-end":
        this.stop(ms, "stopped");
        this.rows.push({ type: "end", atMs: ms, exit: fact.outcome.exit });
        return;
      case "turn-resumed":
        this.stop(this.lastMs, "lost");
        return this.mark("resumed", ms);
      default:
        return this.moment(fact, ms);
    }
  }

  private moment(fact: Exclude<Fact, ModelFact>, ms: number): void {
    switch (fact.type) {
      case "steer-placed": {
        const row = this.bySeq.get(fact.seq);
        if (row !== undefined) row.steered = true;
        return;
      }
      case "steer-accepted":
        return this.mark("steer", ms, fact.text);
      case "injection-accepted":
        return this.mark("injection", ms, fact.text);
      case "redirect-accepted":
        return this.mark("redirect", ms, fact.text);
      case "interrupt-requested":
        return this.mark("interrupt", ms, fact.by);
      case "model-switched":
        return this.mark("model", ms, `${fact.provider}/${fact.model}`);
      case "key-rotated":
        return this.mark("key", ms, `${fact.from} → ${fact.to}`);
      case "money-warning":
      case "money-asked":
      case "money-end":
        return this.mark("money", ms, `$${fact.spentUsd} of $${fact.limitUsd}`);
      case "deadline-reached":
        return this.mark("deadline", ms);
      case "history-compacted":
        return this.mark("compacted", ms);
      case "compaction-failed":
        return this.mark("incompressible", ms);
      case "guardrail-halt":
        return this.mark("guardrail", ms, `${fact.code}: ${fact.tool}`);
      case "bug-caught":
        return this.mark("bug", ms, fact.message);
      default:
        return;
    }
  }

  /** Nothing of what is open goes on behind this moment. */
  private stop(ms: number, end: "lost" | "stopped"): void {
    this.endAttempt({ type: end }, ms, undefined);
    for (const row of [this.wait, this.parked, ...this.tools.values(), ...this.people.values()])
      if (row !== undefined) row.endMs ??= ms;
    this.wait = undefined;
  }

  private mark(mark: Mark, atMs: number, text = ""): void {
    this.rows.push({ type: "mark", atMs, mark, text });
  }

  private hint(callId: string): string {
    const call = this.calls.get(callId);
    return call === undefined ? callId : toolHint(call);
  }

  private toolRow(callId: string, ms: number): Open<ToolRow> {
    const name = this.calls.get(callId)?.name ?? "";
    const { iteration } = this.state;
    const hint = this.hint(callId);
    return {
      type: "tool",
      iteration,
      callId,
      name,
      hint,
      status: null,
      detail: "",
      steered: false,
      startMs: ms,
      endMs: null,
    };
  }

  private personRow(callId: string, ms: number): Open<Extract<PictureRow, { type: "person" }>> {
    return { type: "person", hint: this.hint(callId), allowed: null, startMs: ms, endMs: null };
  }
}

const attemptRow = (fact: AttemptStart, ms: number, before: AttemptRow | undefined): Open<AttemptRow> => ({
  type: "attempt",
  iteration: fact.iteration,
  attempt: fact.attempt,
  tries: before?.iteration === fact.iteration ? before.tries + 1 : 1,
  model: fact.model,
  grace: fact.grace === true,
  rung: fact.rung ?? null,
  refunded: false,
  end: null,
  usage: null,
  startMs: ms,
  endMs: null,
});

function replyEnd(calls: number, interrupted: boolean): AttemptEnd {
  if (interrupted) return { type: "stopped" };
  return calls > 0 ? { type: "calls", count: calls } : { type: "answer" };
}
