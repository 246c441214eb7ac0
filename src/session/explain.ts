import type { BackupFact, CompactionFact, Fact, ModelFact, MoneyFact } from "../protocol/fact.ts";
import { type AssistantMessage, callsOf, textOf, type ToolCallPart } from "../protocol/message.ts";
import type { StoredTurn, TimedFact } from "../protocol/store.ts";
import { diedTooOften } from "../turn/decide.ts";
import { spentKeys } from "../turn/recovery/keys.ts";
import type { View } from "../turn/state.ts";
import { adjustmentLine } from "../words/adjustments.ts";
import { exitWords } from "../words/exits.ts";
import type { Language, Text } from "../words/language.ts";
import { DECIDE, RESUME, type Step, type Words } from "../words/steps.ts";
import type { ApprovalFact } from "../turn/fold-approval.ts";
import { questionAnsweredLine, questionAskedLine } from "../words/questions.ts";
import {
  addsLine,
  askedLine,
  asksLine,
  attemptLine,
  auxiliaryLine,
  CHAIN_SPENT,
  callsLine,
  judgedLine,
  promptLine,
  contextLine,
  correctsLine,
  cutLine,
  decidedLine,
  expiredLine,
  defectLine,
  endedLine,
  failedLine,
  haltLine,
  KEPT_PARTIAL,
  keyNotRenewedLine,
  keyRefreshedLine,
  keyRotatedLine,
  keysSpentLine,
  notCompactedLine,
  PARKED,
  REPLY_DROPPED,
  REPLY_EMPTY,
  endedAs,
  replyLine,
  resumedLine,
  runningLine,
  stoppedLine,
  SUMMARISING,
  SUPERSEDED,
  switchedLine,
  takesOverLine,
  timeUpLine,
  truncatedLine,
  turnLine,
  UNPARKED,
  waitLine,
} from "../words/timeline.ts";
import { moneyAskedLine, moneyDecidedLine, moneyEndLine, moneyWarningLine } from "../words/money.ts";
import { leftSentence, NOT_ENDED, RESUMABLE, STREAM_LOST, waitingSentence } from "../words/waiting.ts";
import { leftOutLine } from "./left-out-line.ts";
import { withDisk } from "../words/turn-files.ts";
import { describeCall, oneLine } from "./plain-text.ts";
import { moneyOf } from "./result.ts";
import { type ReadTurn, readTurn } from "./unfinished.ts";

/** What the facts so far tell about those that follow. */
interface Course {
  readonly calls: Map<string, ToolCallPart>;
  /** An attempt has begun and nothing of it was recorded yet. */
  attemptOpen: boolean;
}

/** Who asks about a turn, and when. */
export interface Viewpoint {
  readonly nowMs: number;
  /** A process runs the turn. */
  readonly alive: boolean;
  readonly language: Language;
}

/** What happened in a turn, step by step, from its facts alone: one line each, with seconds since its start. */
export function explainTurn(turn: StoredTurn, viewpoint: Viewpoint, read: ReadTurn = readTurn(turn)): string[] {
  const startMs = turn.facts[0]?.atMs ?? 0;
  const course: Course = { calls: new Map(), attemptOpen: false };
  const lines = turn.facts.flatMap((timed) => {
    const text = sentence(timed.fact, course);
    follow(timed.fact, course);
    return text === undefined ? [] : [`${seconds(timed, startMs)}  ${text[viewpoint.language]}`];
  });
  return [turnLine(turn.turnId, turn.sessionId)[viewpoint.language], ...lines, ...ending(read, course, viewpoint)];
}

/**
 * What was done between a turn and the next one of its session, or on its account, such as a summary, and what it took.
 * `session`: what was recorded there behind its end, before the next turn.
 */
export function explainBehind(turn: StoredTurn, session: readonly TimedFact[], language: Language): string[] {
  const startMs = turn.facts[0]?.atMs ?? 0;
  const course: Course = { calls: new Map(), attemptOpen: false };
  const own = session.filter(({ fact }) => fact.type !== "auxiliary-run" || fact.turnId === undefined);
  const behind = [...own, ...turn.after].toSorted((a, b) => a.atMs - b.atMs);
  return behind.flatMap((timed) => {
    const text = sentence(timed.fact, course);
    return text === undefined ? [] : [`${seconds(timed, startMs)}  ${text[language]}`];
  });
}

function follow(fact: Fact, course: Course): void {
  if (fact.type === "attempt-start") course.attemptOpen = true;
  if (ATTEMPT_ENDS.has(fact.type)) course.attemptOpen = false;
}

const ATTEMPT_ENDS: ReadonlySet<Fact["type"]> = new Set([
  "assistant-message",
  "attempt-cancelled",
  "reply-empty",
  "reply-cut",
  "model-failure",
]);

const seconds = ({ atMs }: TimedFact, startMs: number): string =>
  `${((atMs - startMs) / 1_000).toFixed(2)} s`.padStart(9);

function ending({ state, waiting }: ReadTurn, { attemptOpen }: Course, viewpoint: Viewpoint): string[] {
  const { nowMs, alive, language } = viewpoint;
  if (state.outcome !== undefined) {
    const words = wordsOf(state);
    return words === undefined ? [] : [words.explain[language]];
  }
  if (waiting === undefined) return [];
  if (alive || state.parked) return [NOT_ENDED[language], waitingSentence(waiting, nowMs, language)];
  return [leftSentence(waiting, nowMs, language), ...(attemptOpen ? [STREAM_LOST[language]] : []), RESUMABLE[language]];
}

function wordsOf(state: View): Words | undefined {
  const { outcome, failures, setup, timeUp, provider } = state;
  if (outcome === undefined) return undefined;
  const { exit, failure, answer } = outcome;
  const limits = { iterations: setup.maxIterations, ms: timeUp, money: moneyOf(state) };
  const spent = spentKeys(state);
  const resumes = diedTooOften(state) ? { resumes: state.resumes } : {};
  const asked = { failure, tries: failures, spentKeys: spent, provider, answered: answer !== null, limits };
  return exitWords(exit, { ...asked, ...resumes });
}

/** What helps after a turn, or with one that has not ended. */
export function stepsAfter({ state, waiting }: ReadTurn): readonly Step[] {
  if (state.outcome !== undefined) return wordsOf(state)?.next ?? [];
  return waiting?.type === "approval" ? [DECIDE, RESUME] : [RESUME];
}

function sentence(fact: Fact, course: Course): Text | undefined {
  switch (fact.type) {
    case "turn-start":
      return fact.replays === undefined
        ? askedLine(oneLine(textOf(fact.message)))
        : takesOverLine(fact.replays, oneLine(textOf(fact.message)));
    case "attempt-start":
    case "attempt-cancelled":
    case "assistant-message":
    case "reply-empty":
    case "reply-cut":
    case "model-failure":
    case "retry-scheduled":
    case "request-adjusted":
      return modelSentence(fact, course);
    case "segment-start":
      return runningLine(describeAll(fact.callIds, course));
    case "receipt": {
      const { callId, status } = fact.message;
      const told = `${oneLine(course.calls.get(callId)?.name ?? callId)} → ${status}: ${oneLine(textOf(fact.message))}`;
      return withDisk(told, fact.disk);
    }
    case "turn-end":
      return endedLine(fact.outcome.exit);
    default:
      return courseSentence(fact, course);
  }
}

function modelSentence(fact: ModelFact, course: Course): Text {
  switch (fact.type) {
    case "attempt-start":
      return attemptLine({ ...fact, grace: fact.grace === true, rung: fact.rung });
    case "assistant-message": {
      const line = replySentence(fact.message, course);
      return fact.unknownFinish === undefined ? line : endedAs(line, JSON.stringify(oneLine(fact.unknownFinish)));
    }
    case "attempt-cancelled":
      return REPLY_DROPPED;
    case "reply-empty":
      return REPLY_EMPTY;
    case "reply-cut":
      return cutLine(
        oneLine(fact.partial.text),
        fact.partial.droppedTools.map((name) => oneLine(name)),
      );
    case "request-adjusted":
      return adjustmentLine(fact.adjustment);
    case "model-failure":
      return failedLine(fact.failure, oneLine(fact.failure.message));
    case "retry-scheduled":
      return waitLine(fact.delayMs);
  }
}

function replySentence(message: AssistantMessage, course: Course): Text {
  const asked = callsOf(message);
  for (const call of asked) course.calls.set(call.callId, call);
  if (asked.length === 0) return replyLine(oneLine(textOf(message)), message.interrupted === true);
  const ids = asked.map(({ callId }) => callId);
  return callsLine(describeAll(ids, course));
}

type OtherFact = Exclude<Fact, ModelFact | { type: "turn-start" | "segment-start" | "receipt" | "turn-end" }>;

function courseSentence(fact: OtherFact, course: Course): Text | undefined {
  switch (fact.type) {
    case "turn-resumed":
      return resumedLine(course.attemptOpen);
    case "interrupt-requested":
      return fact.by === "superseded" ? SUPERSEDED : stoppedLine(fact.by);
    case "steer-accepted":
    case "injection-accepted":
      return addsLine(oneLine(fact.text));
    case "redirect-accepted":
      return correctsLine(oneLine(fact.text));
    case "model-switched":
    case "key-rotated":
    case "key-refreshed":
    case "rotation-failed":
    case "chain-spent":
      return backupSentence(fact);
    case "money-warning":
    case "money-asked":
    case "money-decided":
    case "money-end":
      return moneySentence(fact);
    case "deadline-reached":
      return timeUpLine(fact.limitMs);
    case "approval-requested":
    case "approval-decided":
    case "approval-expired":
    case "question-asked":
    case "question-answered":
      return approvalSentence(fact, course);
    case "guardrail-halt":
      return haltLine(fact.code, fact.tool, fact.count);
    case "closing-message":
      return fact.partial ? KEPT_PARTIAL : undefined;
    case "prompt-built":
      return promptLine(fact.state);
    case "history-compacted":
    case "compaction-judged":
    case "compaction-failed":
    case "summary-start":
    case "request-truncated":
      return compactionSentence(fact);
    case "bug-caught":
      return defectLine(oneLine(fact.message));
    case "turn-parked":
    case "turn-unparked":
      return fact.type === "turn-parked" ? PARKED : UNPARKED;
    case "auxiliary-run":
      return auxiliaryLine({ ...fact, model: oneLine(fact.model), sessionId: fact.sessionId });
    case "context-added":
      return contextLine(fact.contexts.map(({ source }) => oneLine(source)).join(", "));
    case "history-imported":
    case "session-forked":
    case "steer-placed":
    case "injection-delivered":
    case "redirect-delivered":
      return undefined;
  }
}

function backupSentence(fact: BackupFact): Text {
  switch (fact.type) {
    case "model-switched":
      return switchedLine(`${fact.provider}/${fact.model}`, fact.because);
    case "key-rotated":
      return keyRotatedLine(fact.from, fact.to);
    case "key-refreshed":
      return keyRefreshedLine(fact.from);
    case "rotation-failed":
      return fact.renewing === true ? keyNotRenewedLine(fact.key) : keysSpentLine(fact.key);
    case "chain-spent":
      return CHAIN_SPENT;
  }
}

function approvalSentence(fact: ApprovalFact, course: Course): Text {
  switch (fact.type) {
    case "approval-requested":
      return asksLine(describeAll(fact.callIds, course));
    case "approval-decided":
      return decidedLine(fact, describe(fact.callId, course));
    case "approval-expired":
      return expiredLine(describeAll(fact.callIds, course));
    case "question-asked":
      return questionAskedLine(describeAll(fact.callIds, course));
    case "question-answered":
      return questionAnsweredLine(oneLine(fact.text));
  }
}

function compactionSentence(fact: CompactionFact): Text | undefined {
  switch (fact.type) {
    case "history-compacted":
      return leftOutLine(fact);
    case "compaction-judged":
      return judgedLine(fact.tokens, fact.strikes);
    case "compaction-failed":
      return notCompactedLine(fact.because);
    case "summary-start":
      return SUMMARISING;
    case "request-truncated":
      return truncatedLine(fact.estimated, fact.told);
  }
}

function moneySentence(fact: MoneyFact): Text {
  switch (fact.type) {
    case "money-warning":
      return moneyWarningLine(fact.spentUsd, fact.limitUsd);
    case "money-asked":
      return moneyAskedLine(fact.moreUsd);
    case "money-decided":
      return moneyDecidedLine(fact.allow);
    case "money-end":
      return moneyEndLine(fact);
  }
}

const describe = (callId: string, { calls }: Course): string => describeCall(callId, calls.get(callId));

const describeAll = (callIds: readonly string[], course: Course): string =>
  callIds.map((callId) => describe(callId, course)).join(", ");
