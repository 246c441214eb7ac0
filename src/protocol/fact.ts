import type { Scope, Unapproved } from "./approval.ts";
import type { Adjustment, Learnt } from "./adjustment.ts";
import type { ExitReason, InterruptSource, RefusalReason } from "./exit.ts";
import type { Circumstances, Failure, FailureReason, PartialReply } from "./failure.ts";
import type { Halt } from "./guardrails.ts";
import type {
  AssistantMessage,
  ContextPart,
  Message,
  ReasoningPart,
  SteerPart,
  ToolMessage,
  UserMessage,
} from "./message.ts";
import type { Bill, MoneyLimit, Price } from "./money.ts";
import type { TurnOutcome, Usage } from "./outcome.ts";
import type { Compaction, CompactionCause } from "./projection/compaction.ts";
import type { PromptBuilt } from "./prompt.ts";
import type { Wire } from "./replay.ts";
import type { DiskTrace, Effect, Inspection, Route } from "./tool.ts";
import type { Waiting } from "./waiting.ts";

/**
 * Durable: a turn is the fold of its facts.
 * `seq` is the place of a message in the session; content is stored once, in the message row, and facts point to it.
 */
export type Fact =
  | TurnStart
  | { readonly type: "history-imported"; readonly seq: number; readonly messages: readonly Message[] }
  | SessionForked
  | { readonly type: "turn-resumed" }
  /** Joins the turn's user message, all at once, before the first request leaves (row A11). */
  | {
      readonly type: "context-added";
      readonly seq: number;
      /** Of the first. */
      readonly part: number;
      readonly contexts: readonly ContextPart[];
    }
  | AttemptStart
  | AssistantFact
  /** Nothing to show and no calls; what was thought may help the next attempt. */
  | { readonly type: "reply-empty"; readonly reasoning?: ReasoningPart; readonly usage?: Usage }
  /** The output limit ended the reply; its text waits here until the rest has come, its calls are lost. */
  | { readonly type: "reply-cut"; readonly partial: PartialReply; readonly usage?: Usage }
  | RequestAdjusted
  | {
      readonly type: "model-failure";
      readonly failure: Failure;
      /** Absent where there is neither a pool of keys nor a chain of models. */
      readonly circumstances?: Circumstances;
      readonly partial?: PartialReply;
      readonly usage?: Usage;
    }
  | { readonly type: "retry-scheduled"; readonly delayMs: number; readonly untilMs: number }
  | HistoryCompacted
  /** What the first request behind a compaction really weighed, and how many in a row have not helped (row F3). */
  | { readonly type: "compaction-judged"; readonly tokens: number; readonly strikes: number }
  | CompactionFailed
  /** A model is asked to put into words what is to be left out. */
  | { readonly type: "summary-start" }
  /** The server has read so much less than was sent that it must have left something out, and not said so (row C15). */
  | { readonly type: "request-truncated"; readonly estimated: number; readonly told: number }
  | PromptBuilt
  | { readonly type: "segment-start"; readonly callIds: readonly string[]; readonly effect: Effect }
  | ReceiptFact
  | ({ readonly type: "guardrail-halt" } & Halt)
  | { readonly type: "interrupt-requested"; readonly by: InterruptSource; readonly message?: string }
  | { readonly type: "steer-accepted"; readonly steerId: string; readonly text: string }
  | { readonly type: "steer-placed"; readonly seq: number; readonly part: number; readonly steer: SteerPart }
  | { readonly type: "injection-accepted"; readonly injectionId: string; readonly text: string }
  | {
      readonly type: "injection-delivered";
      readonly injectionId: string;
      readonly seq: number;
      readonly message: UserMessage;
    }
  | { readonly type: "redirect-accepted"; readonly redirectId: string; readonly text: string }
  | {
      readonly type: "redirect-delivered";
      readonly redirectId: string;
      readonly seq: number;
      readonly message: UserMessage;
    }
  /** A redirect came while the attempt was in flight: whatever it brought counts for nothing but its usage. */
  | { readonly type: "attempt-cancelled"; readonly usage?: Usage }
  | ModelSwitched
  /** From the next request on, another key of the provider is sent; keys are told apart by their fingerprints. */
  | { readonly type: "key-rotated"; readonly provider: string; readonly from: string; readonly to: string }
  /** The key was renewed, and is another one now. */
  | { readonly type: "key-refreshed"; readonly provider: string; readonly from: string; readonly to: string }
  /** No other key could be taken, or this one not be renewed. */
  | { readonly type: "rotation-failed"; readonly provider: string; readonly key: string; readonly renewing?: true }
  /** No other model of the chain could be asked. */
  | { readonly type: "chain-spent" }
  /** The turn's time, `limitMs`, is over. */
  | { readonly type: "deadline-reached"; readonly limitMs: number }
  /** Four fifths of what the turn may spend are spent (row X4). */
  | { readonly type: "money-warning"; readonly spentUsd: number; readonly limitUsd: number }
  /** The next request would not fit under the limit: a person is asked for `moreUsd`. */
  | { readonly type: "money-asked"; readonly spentUsd: number; readonly limitUsd: number; readonly moreUsd: number }
  | { readonly type: "money-decided"; readonly allow: boolean }
  /** Nothing more is asked of a model, but for a last word that still fits. */
  | MoneyEnd
  | { readonly type: "approval-requested"; readonly callIds: readonly string[] }
  | ApprovalDecided
  /** The time of a yes was over before the calls ran: they are asked about anew. */
  | { readonly type: "approval-expired"; readonly callIds: readonly string[] }
  /** What the model asks its user stands open from here on. */
  | { readonly type: "question-asked"; readonly callIds: readonly string[] }
  /** An empty text: they had nothing to say. */
  | { readonly type: "question-answered"; readonly callId: string; readonly text: string }
  /** Closes a history the model gave no last word to; `partial` = its text is the model's own, cut off. */
  | {
      readonly type: "closing-message";
      readonly seq: number;
      readonly message: AssistantMessage;
      readonly partial?: true;
    }
  /** An auxiliary call that was made for this session has ended: what it took belongs to the session's account. */
  | {
      readonly type: "auxiliary-run";
      readonly purpose: Purpose;
      /** The turn whose account it is on, where that had ended by then. */
      readonly turnId?: string;
      readonly model: string;
      readonly exit: ExitReason | RefusalReason;
      /** Where it is kept, when it is. */
      readonly sessionId?: string;
      readonly attempts: number;
      readonly usage: Usage;
      /** Absent in journals of the first format. */
      readonly bill?: Bill;
    }
  /** A defect of our own stopped the turn; it is closed properly and ends as internal_error. */
  | { readonly type: "bug-caught"; readonly message: string }
  | { readonly type: "turn-parked" }
  | { readonly type: "turn-unparked" }
  | { readonly type: "turn-end"; readonly outcome: TurnOutcome };

/** The answer of a person. */
export interface ApprovalDecided {
  readonly type: "approval-decided";
  readonly callId: string;
  readonly allow: boolean;
  /** What was learnt with it; absent: nothing. */
  readonly scope?: Scope;
  /** When it was given, ms since the epoch: a yes does not hold for ever. Absent in journals of the first formats. */
  readonly atMs?: number;
}

/**
 * The first fact of a session that goes on from a place in another one: it begins with the first `at` messages of that,
 * and nothing of that is changed by it.
 */
export interface SessionForked {
  readonly type: "session-forked";
  /** The session it left, by its id: it may be gone by now. */
  readonly from: string;
  readonly at: number;
  /** What was left out of the requests at that place; absent: nothing was. */
  readonly compaction?: Compaction;
  /** What was known of its models; absent: nothing. */
  readonly learnt?: Learnt;
}

/** From here on, in this session, less of the history is sent; the head begins anew. */
export interface HistoryCompacted {
  readonly type: "history-compacted";
  readonly compaction: Compaction;
  /** Absent in journals of the first formats. */
  readonly because?: CompactionCause;
  /** Estimates of what is sent, tokens. */
  readonly tokens?: { readonly before: number; readonly after: number };
  /** Why no model has put into words what is left out, in one line. */
  readonly trouble?: string;
}

/** Nothing more can be left out; the history is as it was. */
export interface CompactionFailed {
  readonly type: "compaction-failed";
  /** Absent: a request was too large. */
  readonly because?: "pressure";
  /** An estimate of what is sent all the same. */
  readonly tokens?: number;
}

/** From the next request of the turn on, another model is asked. */
export interface ModelSwitched {
  readonly type: "model-switched";
  readonly provider: string;
  readonly model: string;
  readonly price?: Price;
  /** Tokens that a request to it and the reply may have together; absent: nobody knows. */
  readonly contextWindow?: number;
  /** What every request to it has beside the messages, tokens by estimate; absent: nobody asks. */
  readonly overhead?: number;
  /** How its requests are written, for whoever runs the turn again; absent in journals of the first formats. */
  readonly wire?: Wire;
  /** What made the fallback chain go on to it; absent: a person chose it, or nobody else can be asked. */
  readonly because?: FailureReason | "empty_reply";
}

export interface MoneyEnd {
  readonly type: "money-end";
  /** `unknown-price`: no limit can be kept where nobody knows what a request costs. */
  readonly why: "limit" | "unknown-price";
  readonly spentUsd: number;
  readonly limitUsd: number;
}

/** What a model is asked for beside the conversation (row I3). */
export type Purpose = "review" | "summary" | "title" | "vision" | "approval" | "advice" | "dream" | "child" | "picture";

export interface TurnStart {
  readonly type: "turn-start";
  readonly turnId: string;
  readonly seq: number;
  readonly message: UserMessage;
  readonly model: string;
  readonly provider: string;
  readonly maxIterations: number;
  /** The version of this program; absent in journals of the first formats. */
  readonly program?: string;
  /** What the turn works on, in the words of whoever asked for it (row A15). */
  readonly taskId?: string;
  /** Stands behind the agent's own system prompt in every request of the turn. */
  readonly system?: string;
  readonly route?: Route;
  /** The turn that had been left unfinished and was closed for this one. */
  readonly supersedes?: string;
  /** It goes on from another turn, as that was before iteration `from`: what had been said there is imported next. */
  readonly replays?: { readonly turnId: string; readonly from: number };
  /** Whoever asks again under this name is given this turn, and no other is begun: one for each store. */
  readonly idempotencyKey?: string;
  /** What the turn may spend; absent: no limit. */
  readonly limit?: MoneyLimit;
  /** How patient it is with failures that pass; absent: as whoever runs it is. */
  readonly retry?: RetryMode;
}

/** `persistent`: what passes is waited for however often it comes, until the same comes again and again (row D15). */
export type RetryMode = (typeof RETRY_MODES)[number];
export const RETRY_MODES = ["standard", "persistent"] as const;

/** One try of one model call. `replaces` retracts what an earlier attempt has shown. */
export interface AttemptStart {
  readonly type: "attempt-start";
  readonly attempt: number;
  readonly iteration: number;
  readonly model: string;
  readonly grace?: true;
  /** What is tried after an empty reply: its private messages ride on this attempt and are never history (row C9). */
  readonly rung?: EmptyRung;
  readonly replaces?: number;
  /** Absent in journals of the first format. */
  readonly size?: RequestSize;
  /** About how many the request has; absent where nobody knows how many the model takes. */
  readonly tokens?: number;
  /** The call ends by itself after so long, in ms. */
  readonly limitMs?: number;
  /** What the model costs, where that is not as in the attempt before; null: nobody knows. */
  readonly price?: Price | null;
  /** Fingerprint of the key that is sent, where it is not the one that was sent or taken last. */
  readonly key?: string;
}

/** How large a request is on the wire; the system prompt counts among its bytes, not its messages. */
export interface RequestSize {
  readonly messages: number;
  readonly bytes: number;
}

/** The rungs of the ladder for empty replies, each an iteration (row C9). */
export type EmptyRung = "nudge" | "prefill" | "recall" | "finalise";

/** The answer to one call, with what was observed of its result (see ToolResult). */
export interface ReceiptFact {
  readonly type: "receipt";
  readonly seq: number;
  readonly message: ToolMessage;
  readonly digest?: string;
  readonly failed?: true;
  /** Of a call that was not allowed; absent in journals of the first formats. */
  readonly unapproved?: Unapproved;
  /** What the call did to files. */
  readonly disk?: DiskTrace;
}

/** Facts of the model's side of a turn. */
export type ModelFact = Extract<
  Fact,
  {
    type:
      | "attempt-start"
      | "attempt-cancelled"
      | "assistant-message"
      | "reply-empty"
      | "reply-cut"
      | "model-failure"
      | "retry-scheduled"
      | "request-adjusted";
  }
>;

export interface RequestAdjusted {
  readonly type: "request-adjusted";
  readonly adjustment: Adjustment;
  /** All that the session has learnt of its models, this with it. Absent where it holds for one iteration alone. */
  readonly learnt?: Learnt;
}

/** Facts of what is sent of the history. */
export type CompactionFact = Extract<
  Fact,
  { type: "history-compacted" | "compaction-judged" | "compaction-failed" | "summary-start" | "request-truncated" }
>;

/** Facts of what a turn may spend. */
export type MoneyFact = Extract<Fact, { type: "money-warning" | "money-asked" | "money-decided" | "money-end" }>;

/** Facts of whom else to ask: other keys, other models. */
export type BackupFact = Extract<
  Fact,
  { type: "model-switched" | "key-rotated" | "key-refreshed" | "rotation-failed" | "chain-spent" }
>;

/** How the model ended its reply, in the words of row C4. */
export type Finish = "stop" | "tool_calls" | "length" | "content_filter";

export interface AssistantFact {
  readonly type: "assistant-message";
  readonly seq: number;
  readonly message: AssistantMessage;
  readonly finish: Finish;
  /** The server's own word for the end, where nobody here knows it: it was taken for an end like any other. */
  readonly unknownFinish?: string;
  /** One per tool call, in order; absent when there are none. */
  readonly inspections?: readonly Inspection[];
  readonly usage?: Usage;
}

/** Ephemeral, for screens: losing one loses nothing. */
export type Delta =
  /** The model has begun to reply, if only with thoughts: once for each attempt that brings anything (row C19). */
  | { readonly type: "first-delta"; readonly attempt: number }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-output-delta"; readonly callId: string; readonly text: string }
  /** The turn is alive, and this is what it waits for (rows B16, B17). */
  | { readonly type: "activity-delta"; readonly waiting: Waiting };

export type TurnEvent = Fact | Delta;

export const isFact = (event: TurnEvent): event is Fact => !event.type.endsWith("-delta");

/** Facts that must survive power loss, not only a dead process, before a barrier behind them opens (design §6). */
export function mustSync(fact: Fact): boolean {
  switch (fact.type) {
    case "turn-start":
    case "steer-accepted":
    case "injection-accepted":
    case "redirect-accepted":
    case "interrupt-requested":
    case "approval-decided":
    case "question-answered":
    case "money-decided":
    case "turn-end":
      return true;
    case "segment-start":
      return fact.effect !== "pure";
    default:
      return false;
  }
}
