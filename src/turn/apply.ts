import type {
  AssistantFact,
  AttemptStart,
  BackupFact,
  CompactionFact,
  Fact,
  ModelFact,
  MoneyFact,
  ReceiptFact,
} from "../protocol/fact.ts";
import {
  callsOf,
  type SteerPart,
  textOf,
  type ToolMessage,
  type UserMessage,
  withContext,
  withSteer,
} from "../protocol/message.ts";
import { rounded } from "../protocol/money.ts";
import { addUsage, type Usage } from "../protocol/outcome.ts";
import { HARMLESS } from "../protocol/tool.ts";
import { foldAdjustment } from "./adjust.ts";
import { consume, refund } from "./budget.ts";
import { noteFiles } from "./files.ts";
import { foldBackup } from "./fold-backup.ts";
import { foldCompaction } from "./fold-compaction.ts";
import { foldNoReply, foldReply, startAfresh } from "./fold-reply.ts";
import { weigh } from "./gauge.ts";
import { beginRound, count } from "./guardrails.ts";
import { countDenial, countOutside } from "./denials.ts";
import { type ApprovalFact, foldApproval } from "./fold-approval.ts";
import { enter } from "./ledger.ts";
import type { Purse } from "./purse.ts";
import { NOT_ALIKE, type OpenCall, type TurnState } from "./state.ts";

/** Facts that came from outside while the turn was running, and their placing. */
type ArrivalFact = Extract<
  Fact,
  {
    type:
      | "interrupt-requested"
      | "steer-accepted"
      | "steer-placed"
      | "injection-accepted"
      | "injection-delivered"
      | "redirect-accepted"
      | "redirect-delivered"
      | "deadline-reached"
      | ApprovalFact["type"];
  }
>;

/** The only way a turn changes: constant cost whatever the history, total over every fact. */
export function apply(state: TurnState, fact: Fact): void {
  // It is on the account of a turn that had ended before this one began.
  if (fact.type === "auxiliary-run" && (fact.turnId ?? state.turnId) !== state.turnId) return;
  enter(state.ledger, fact);
  weigh(state, fact);
  switch (fact.type) {
    case "attempt-start":
    case "attempt-cancelled":
    case "assistant-message":
    case "reply-empty":
    case "reply-cut":
    case "model-failure":
    case "retry-scheduled":
    case "request-adjusted":
      return applyModel(state, fact);
    case "interrupt-requested":
    case "steer-accepted":
    case "steer-placed":
    case "injection-accepted":
    case "injection-delivered":
    case "redirect-accepted":
    case "redirect-delivered":
    case "deadline-reached":
    case "approval-requested":
    case "approval-decided":
    case "approval-expired":
    case "question-asked":
    case "question-answered":
      return applyArrival(state, fact);
    case "model-switched":
    case "key-rotated":
    case "key-refreshed":
    case "rotation-failed":
    case "chain-spent":
      return foldBackup(state, fact);
    case "history-compacted":
    case "compaction-judged":
    case "compaction-failed":
    case "summary-start":
    case "request-truncated":
      return foldCompaction(state, fact);
    case "money-warning":
    case "money-asked":
    case "money-decided":
    case "money-end":
      return applyMoney(state, fact);
    default:
      return applyCourse(state, fact);
  }
}

/** Facts of the turn's own course: beginning, segments, closing. */
function applyCourse(
  state: TurnState,
  fact: Exclude<Fact, ModelFact | ArrivalFact | BackupFact | CompactionFact | MoneyFact>,
): void {
  switch (fact.type) {
    case "turn-start":
      state.turnId = fact.turnId;
      state.firstSeq = fact.seq;
      state.asked = fact;
      state.limit = fact.limit;
      state.purse = fact.limit && { limitUsd: fact.limit.leftUsd, warned: false, asked: undefined, end: undefined };
      state.history[fact.seq] = fact.message;
      // What was added to the message is in it.
      state.advised = fact.replays !== undefined;
      return;
    case "history-imported":
      fact.messages.forEach((message, index) => (state.history[fact.seq + index] = message));
      return;
    case "turn-resumed":
      state.resumes++;
      return;
    case "prompt-built":
    case "session-forked":
      return;
    case "context-added":
      state.advised = true;
      state.history[fact.seq] = withContext(state.history[fact.seq] as UserMessage, fact.contexts);
      return;
    case "segment-start":
      for (const callId of fact.callIds) openCall(state, callId).started = true;
      return;
    case "receipt":
      return applyReceipt(state, fact);
    case "guardrail-halt": {
      const { type: _, ...halt } = fact;
      state.guard.halt = halt;
      return;
    }
    case "closing-message":
      state.history[fact.seq] = fact.message;
      state.closing = fact.partial === true ? "partial" : "placeholder";
      return;
    case "auxiliary-run":
      state.usage = addUsage(state.usage, fact.usage);
      return;
    case "bug-caught":
      state.bug = fact.message;
      return;
    case "turn-parked":
      state.parked = true;
      return;
    case "turn-unparked":
      state.parked = false;
      return;
    case "turn-end":
      state.outcome = fact.outcome;
      return;
  }
}

/** A turn without a purse is never asked about money. */
function applyMoney(state: TurnState, fact: MoneyFact): void {
  const { purse } = state;
  if (purse === undefined) return;
  switch (fact.type) {
    case "money-warning":
      state.purse = { ...purse, warned: true };
      return;
    case "money-asked":
      state.purse = { ...purse, asked: { moreUsd: fact.moreUsd, allow: undefined } };
      return;
    case "money-decided":
      state.purse = decided(purse, fact.allow);
      return;
    case "money-end":
      state.purse = { ...purse, end: fact };
      return;
  }
}

function decided(purse: Purse, allow: boolean): Purse {
  const { asked, limitUsd } = purse;
  if (asked === undefined) return purse;
  if (!allow) return { ...purse, asked: { ...asked, allow } };
  return { ...purse, limitUsd: rounded(limitUsd + asked.moreUsd), warned: false, asked: undefined };
}

function applyReceipt(state: TurnState, fact: ReceiptFact): void {
  const { type: _, seq, message, disk, ...observed } = fact;
  const call = openCall(state, message.callId);
  state.history[seq] = message;
  state.open.delete(message.callId);
  noteFiles(state.files, { call, message, failed: observed.failed === true, disk });
  count(state.guard, call, { ...observed, status: message.status });
  countOutside(state.guard, call, message);
  if (fact.unapproved === "denied") countDenial(state.guard, call);
  if (message.status === "error")
    state.guard.toolError ??= { tool: call.inspection.name ?? call.part.name, text: textOf(message) };
}

function applyModel(state: TurnState, fact: ModelFact): void {
  switch (fact.type) {
    case "attempt-start":
      return applyAttempt(state, fact);
    case "attempt-cancelled":
      // It stays open: what it has shown stands until the next attempt replaces it.
      if (fact.usage !== undefined) state.usage = addUsage(state.usage, fact.usage);
      return;
    case "assistant-message":
      // What a stop or a redirect leaves of a reply is no end: the iteration may be asked anew, the attempt be replaced.
      if (fact.message.interrupted === true) return applyReply(state, fact);
      closeAttempt(state, fact.usage);
      closeIteration(state);
      return applyReply(state, fact);
    case "reply-empty":
    case "reply-cut":
      closeAttempt(state, fact.usage);
      closeIteration(state);
      return foldNoReply(state, fact);
    case "model-failure":
      closeAttempt(state, fact.usage);
      return foldNoReply(state, fact);
    case "retry-scheduled":
      if (state.failure?.reason === "rate_limit") state.limited = true;
      state.failure = undefined;
      state.retries++;
      state.retryDelayMs = fact.delayMs;
      state.retryUntilMs = fact.untilMs;
      return;
    case "request-adjusted":
      return foldAdjustment(state, fact);
  }
}

/** The first attempt of an iteration takes it from the budget; the grace call is not counted (row B4). */
function applyAttempt(state: TurnState, fact: AttemptStart): void {
  state.attempt = fact.attempt;
  state.attemptOpen = true;
  state.attemptModel = fact.model;
  state.attemptLimitMs = fact.limitMs;
  if (fact.key !== undefined) state.key = fact.key;
  state.retryUntilMs = undefined;
  state.iterationOpen = true;
  state.sentThrough = state.history.length;
  state.drained = 0;
  state.size = fact.size;
  if (fact.grace === true) state.grace = true;
  state.retract = undefined;
  state.summarising = false;
  state.rung = fact.rung;
  if (fact.iteration === state.iteration) return;
  if (fact.rung !== undefined) state.rungs = [...state.rungs, fact.rung];
  state.iteration = fact.iteration;
  consume(state.budget);
}

function closeAttempt(state: TurnState, usage: Usage | undefined): void {
  state.attemptOpen = false;
  if (usage !== undefined) state.usage = addUsage(state.usage, usage);
}

function closeIteration(state: TurnState): void {
  state.iterationOpen = false;
  state.failure = undefined;
  state.retract = undefined;
  state.failures = 0;
  state.alike = NOT_ALIKE;
  state.rotations = 0;
  state.limited = false;
  state.room = undefined;
}

function applyReply(state: TurnState, fact: AssistantFact): void {
  state.history[fact.seq] = fact.message;
  state.finish = fact.finish;
  foldReply(state, fact);
  const calls = callsOf(fact.message);
  state.answered = calls.length === 0 && fact.message.interrupted !== true;
  if (calls.length === 0) return;
  state.incompressible = false;
  beginRound(state.guard);
  calls.forEach((part, index) => {
    const seq = fact.seq + 1 + index;
    const inspection = fact.inspections?.[index] ?? HARMLESS;
    state.open.set(part.callId, { part, seq, inspection, started: false, approval: "unasked" });
  });
  state.history.length = fact.seq + 1 + calls.length;
  if (calls.every((call, index) => (fact.inspections?.[index]?.name ?? call.name) === "execute_code"))
    refundBatch(state);
}

/** A batch of nothing but execute_code gives the budget back, not the local count, which bounds it (row B3). */
function refundBatch(state: TurnState): void {
  refund(state.budget);
  state.refunded++;
}

function applyArrival(state: TurnState, fact: ArrivalFact): void {
  switch (fact.type) {
    case "interrupt-requested":
      if (state.interruptedBy === undefined) state.interruptedCall = state.attemptOpen;
      state.interruptedBy ??= fact.by;
      if (fact.message !== undefined) state.interruptMessage = joined(state.interruptMessage, fact.message);
      return;
    case "steer-accepted":
      state.steers.push({ steerId: fact.steerId, text: fact.text });
      return;
    case "steer-placed":
      return placeSteer(state, fact.steer, fact.seq);
    case "deadline-reached":
      state.timeUp = fact.limitMs;
      return;
    case "approval-requested":
    case "approval-decided":
    case "approval-expired":
    case "question-asked":
    case "question-answered":
      return foldApproval((callId) => openCall(state, callId), fact);
    default:
      return applyMidTurn(state, fact);
  }
}

/** Whoever stops a turn twice has said two things. */
const joined = (said: string | undefined, more: string): string => (said === undefined ? more : `${said}\n\n${more}`);

type MidTurnFact = Extract<
  Fact,
  { type: "injection-accepted" | "injection-delivered" | "redirect-accepted" | "redirect-delivered" }
>;

/** User messages that came while the turn was running (rows B10, B14). */
function applyMidTurn(state: TurnState, fact: MidTurnFact): void {
  switch (fact.type) {
    case "injection-accepted":
      state.injections.push({ injectionId: fact.injectionId, text: fact.text });
      return;
    case "injection-delivered":
      state.history[fact.seq] = fact.message;
      remove(state.injections, (injection) => injection.injectionId === fact.injectionId);
      state.answered = false;
      startAfresh(state);
      if (state.drained++ === 0) state.drains++;
      return;
    case "redirect-accepted":
      state.redirects.push({ redirectId: fact.redirectId, text: fact.text });
      state.redirected++;
      return;
    case "redirect-delivered":
      state.history[fact.seq] = fact.message;
      remove(state.redirects, (redirect) => redirect.redirectId === fact.redirectId);
      return restart(state);
  }
}

/** The request is made anew: within the same iteration, so it costs nothing, and with its tries before it. */
function restart(state: TurnState): void {
  if (state.iterationOpen) state.refunded++;
  state.answered = false;
  state.failure = undefined;
  state.failures = 0;
  state.retryUntilMs = undefined;
  state.rung = undefined;
  startAfresh(state);
}

function placeSteer(state: TurnState, steer: SteerPart, seq: number): void {
  remove(state.steers, (waiting) => waiting.steerId === steer.steerId);
  state.history[seq] = withSteer(state.history[seq] as ToolMessage, steer);
}

function remove<T>(list: T[], isIt: (item: T) => boolean): void {
  const index = list.findIndex(isIt);
  if (index < 0) throw new Error("an arrival was placed that was not waiting");
  list.splice(index, 1);
}

function openCall(state: TurnState, callId: string): OpenCall {
  const call = state.open.get(callId);
  if (call === undefined) throw new Error(`there is no open call ${callId}`);
  return call;
}
