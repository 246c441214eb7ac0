import type { ExitReason, RefusalReason } from "../../protocol/exit.ts";
import type { EmptyRung, Purpose } from "../../protocol/fact.ts";
import type { FailureReason } from "../../protocol/failure.ts";
import type { GuardrailCode } from "../../protocol/guardrails.ts";
import type { ReceiptStatus } from "../../protocol/message.ts";
import type { Cost } from "../../protocol/money.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { Text } from "../../words/language.ts";
import type { PICTURE_MARKS } from "../../words/picture.ts";

/** Both in ms since the turn began; `endMs` is null while it goes on. */
export interface Span {
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
  readonly provider: string;
  readonly model: string;
  /** The last word, without tools. */
  readonly grace: boolean;
  readonly rung: EmptyRung | null;
  /** The iteration was given back. */
  readonly refunded: boolean;
  readonly end: AttemptEnd | null;
  /** Null: nobody said. */
  readonly usage: Usage | null;
  /** Null while it goes on. */
  readonly cost: Cost | null;
  /** Less than half was read of what the request before it had left in the prompt cache. */
  readonly cacheBroke: boolean;
}

/** What a guardrail said behind a result. */
export interface GuardWarning {
  readonly code: GuardrailCode;
  readonly count: number;
}

export interface ToolRow extends Span {
  readonly type: "tool";
  readonly iteration: number;
  readonly callId: string;
  readonly name: string;
  /** As people would write the call. */
  readonly hint: string;
  /** So many calls run side by side with it, itself among them; 0: it never ran. */
  readonly beside: number;
  /** Null while it runs, and of one whose process went: its call has its receipt in a row behind. */
  readonly status: ReceiptStatus | null;
  /** The first line of its receipt. */
  readonly detail: string;
  /** What the user said meanwhile rides on its receipt. */
  readonly steered: boolean;
  /** Files that it changed. */
  readonly files: number;
  readonly warning: GuardWarning | null;
}

/** A person was asked, and it waited for the answer. */
export interface PersonRow extends Span {
  readonly type: "person";
  readonly about: "call" | "question" | "money";
  readonly hint: string;
  /** Null: not decided. Of a question: whether there is an answer. */
  readonly allowed: boolean | null;
}

/** What came from outside, or happened at one moment. */
export interface MarkRow {
  readonly type: "mark";
  readonly atMs: number;
  readonly mark: Mark;
  readonly text: string | Text;
}

export type Mark = keyof typeof PICTURE_MARKS;

/** A child agent that a call has given work to; it has a picture of its own. */
export interface ChildRow extends Span {
  readonly type: "child";
  readonly sessionId: string;
  readonly turnId: string;
  /** Its task, in one line. */
  readonly asked: string;
  readonly iterations: number;
  readonly calls: number;
  readonly exit: ExitReason | null;
  readonly cost: Cost;
}

/** What a model was asked for beside the conversation, on its account; when it began nobody has written down. */
export interface BesideRow {
  readonly type: "beside";
  readonly atMs: number;
  readonly purpose: Purpose;
  readonly model: string;
  readonly exit: ExitReason | RefusalReason;
  readonly usage: Usage;
  readonly cost: Cost;
  /** Where it is kept, when it is. */
  readonly sessionId: string | null;
  /** It was done when the turn had ended. */
  readonly after: boolean;
}

export type PictureRow =
  /** Until the first request left, and behind the last step. */
  | (Span & { readonly type: "phase"; readonly phase: "prepare" | "finalise" })
  | AttemptRow
  | ToolRow
  /** The pause before the next attempt. */
  | (Span & { readonly type: "wait"; readonly iteration: number })
  /** A model is asked to put into words what is to be left out. */
  | (Span & { readonly type: "summary" })
  | PersonRow
  /** No process worked on it: somebody had to decide. */
  | (Span & { readonly type: "parked" })
  /** Its process had died, until another one took it up. */
  | (Span & { readonly type: "gap" })
  | ChildRow
  | BesideRow
  | MarkRow
  | { readonly type: "end"; readonly atMs: number; readonly exit: ExitReason };

/** What is left of the limits from a moment on. */
export interface BudgetPoint {
  readonly atMs: number;
  /** Null: there is no limit. */
  readonly iterations: number | null;
  /** US dollars. Null: there is no limit. */
  readonly usd: number | null;
}

/** A turn as its facts tell it, in the order in which things began. */
export interface TurnPicture {
  readonly turnId: string;
  readonly sessionId: string;
  /** What was asked, in one line. */
  readonly asked: string;
  /** ms since the epoch */
  readonly startedMs: number;
  readonly provider: string;
  readonly model: string;
  readonly rows: readonly PictureRow[];
  /** From the first fact to the last one, or until now where it goes on. */
  readonly tookMs: number;
  readonly iterations: { readonly used: number; readonly limit: number; readonly refunded: number };
  readonly retries: number;
  readonly exit: ExitReason | null;
  /** It stands still until somebody decides. */
  readonly parked: boolean;
  readonly usage: Usage;
  /** With what was done on its account behind it. */
  readonly cost: Cost;
  /** What is known of it, US dollars. */
  readonly knownUsd: number;
  readonly budget: readonly BudgetPoint[];
}

/** When a row begins. */
export const startOf = (row: PictureRow): number => ("startMs" in row ? row.startMs : row.atMs);

/** When it ends; what goes on ends at `nowMs`. */
export const endOf = (row: PictureRow, nowMs: number): number => ("startMs" in row ? (row.endMs ?? nowMs) : row.atMs);
