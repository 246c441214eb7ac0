import type { AttemptStart, EmptyRung, Fact, ModelFact } from "../protocol/fact.ts";
import { callsOf, textOf, type ToolCallPart } from "../protocol/message.ts";
import type { StoredTurn, TimedFact } from "../protocol/store.ts";
import type { View } from "../turn/state.ts";
import { duration } from "../words/durations.ts";
import { exitWords } from "../words/exits.ts";
import type { Language } from "../words/language.ts";
import { DECIDE, RESUME, type Step, type Words } from "../words/steps.ts";
import { leftSentence, NOT_ENDED, RESUMABLE, STREAM_LOST, waitingSentence } from "../words/waiting.ts";
import { describeCall, oneLine } from "./plain-text.ts";
import { readTurn } from "./unfinished.ts";

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
export function explainTurn(turn: StoredTurn, viewpoint: Viewpoint): string[] {
  const startMs = turn.facts[0]?.atMs ?? 0;
  const course: Course = { calls: new Map(), attemptOpen: false };
  const lines = turn.facts.flatMap((timed) => {
    const text = sentence(timed.fact, course);
    follow(timed.fact, course);
    return text === undefined ? [] : [`${seconds(timed, startMs)}  ${text}`];
  });
  return [`turn ${turn.turnId} of session ${turn.sessionId}`, ...lines, ...ending(turn, course, viewpoint)];
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

const NOT_KEPT = "what the model had streamed of its reply by then was not kept";

const seconds = ({ atMs }: TimedFact, startMs: number): string =>
  `${((atMs - startMs) / 1_000).toFixed(2)} s`.padStart(9);

function ending(turn: StoredTurn, { attemptOpen }: Course, { nowMs, alive, language }: Viewpoint): string[] {
  const { state, waiting } = readTurn(turn);
  if (state.outcome !== undefined) {
    const words = wordsOf(state);
    return words === undefined ? [] : [words.explain[language]];
  }
  if (waiting === undefined) return [];
  if (alive || state.parked) return [NOT_ENDED[language], waitingSentence(waiting, nowMs, language)];
  return [leftSentence(waiting, nowMs, language), ...(attemptOpen ? [STREAM_LOST[language]] : []), RESUMABLE[language]];
}

function wordsOf({ outcome, failures, setup, timeUp }: View): Words | undefined {
  if (outcome === undefined) return undefined;
  const { exit, failure, answer } = outcome;
  const limits = { iterations: setup.maxIterations, ms: timeUp };
  return exitWords(exit, { failure, tries: failures, answered: answer !== null, limits });
}

/** What helps after a turn, or with one that has not ended. */
export function stepsAfter(turn: StoredTurn): readonly Step[] {
  const { state, waiting } = readTurn(turn);
  if (state.outcome !== undefined) return wordsOf(state)?.next ?? [];
  return waiting?.type === "approval" ? [DECIDE, RESUME] : [RESUME];
}

function sentence(fact: Fact, course: Course): string | undefined {
  switch (fact.type) {
    case "turn-start":
      return `asked: ${oneLine(textOf(fact.message))}`;
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
      return `running ${fact.callIds.map((callId) => describe(callId, course)).join(", ")}`;
    case "receipt": {
      const { callId, status } = fact.message;
      return `${course.calls.get(callId)?.name ?? callId} → ${status}: ${oneLine(textOf(fact.message))}`;
    }
    case "turn-end":
      return `ended: ${fact.outcome.exit}`;
    default:
      return courseSentence(fact, course);
  }
}

function modelSentence(fact: ModelFact, course: Course): string {
  switch (fact.type) {
    case "attempt-start":
      return attemptSentence(fact);
    case "assistant-message": {
      const asked = callsOf(fact.message);
      for (const call of asked) course.calls.set(call.callId, call);
      if (asked.length > 0)
        return `the model asks for ${asked.map((call) => describe(call.callId, course)).join(", ")}`;
      return `the model ${fact.message.interrupted ? "was stopped at" : "answers"}: ${oneLine(textOf(fact.message))}`;
    }
    case "attempt-cancelled":
      return "the request was cancelled, because the user wants something else";
    case "reply-empty":
      return "the model answered with nothing";
    case "reply-cut":
      return `the reply was cut off at the output limit${lostCalls(fact.partial.droppedTools)}: ${oneLine(fact.partial.text)}`;
    case "request-adjusted":
      return "streaming" in fact.adjustment
        ? "this server does not stream: asking for replies in one piece from now on"
        : `too much output was asked for: asking for ${fact.adjustment.maxOutput} tokens`;
    case "model-failure":
      return `failed: ${fact.failure.reason}: ${oneLine(fact.failure.message)}`;
    case "retry-scheduled":
      return `waiting ${duration(fact.delayMs)} before the next attempt`;
  }
}

const RUNGS: Readonly<Record<EmptyRung, string>> = {
  nudge: ", pointing at the tools' results",
  prefill: ", letting it go on from its thoughts",
  recall: ", once more",
  finalise: ", asking for an answer without tools",
};

function attemptSentence({ model, iteration, attempt, grace, rung }: AttemptStart): string {
  const how = grace ? ", last word without tools" : rung === undefined ? "" : RUNGS[rung];
  return `asking ${model} (iteration ${iteration}, attempt ${attempt}${how})`;
}

const lostCalls = (names: readonly string[]): string =>
  names.length === 0 ? "" : `, ${names.map(oneLine).join(", ")} was not run`;

type OtherFact = Exclude<Fact, ModelFact | { type: "turn-start" | "segment-start" | "receipt" | "turn-end" }>;

function courseSentence(fact: OtherFact, course: Course): string | undefined {
  switch (fact.type) {
    case "turn-resumed":
      return `resumed after its process had stopped${course.attemptOpen ? `; ${NOT_KEPT}` : ""}`;
    case "interrupt-requested":
      return fact.by === "superseded" ? "closed, because a new message came" : `stopped (${fact.by})`;
    case "steer-accepted":
    case "injection-accepted":
      return `the user adds: ${oneLine(fact.text)}`;
    case "redirect-accepted":
      return `the user corrects: ${oneLine(fact.text)}`;
    case "deadline-reached":
      return `the time limit of ${duration(fact.limitMs)} is reached`;
    case "approval-requested":
      return `asking for approval of ${fact.callIds.map((callId) => describe(callId, course)).join(", ")}`;
    case "approval-decided":
      return `${fact.allow ? "allowed" : "denied"}: ${describe(fact.callId, course)}`;
    case "guardrail-halt":
      return `stopped by a guardrail (${fact.code}): ${fact.tool}, ${fact.count} times`;
    case "closing-message":
      return fact.partial ? "keeping the text that had arrived" : undefined;
    case "history-compacted":
      return "the request was too large: less of the conversation is sent from here on; all of it is kept";
    case "compaction-failed":
      return "the request was too large, and nothing more can be left out";
    case "bug-caught":
      return `a defect of Evander: ${oneLine(fact.message)}`;
    case "turn-parked":
      return "parked until somebody decides";
    case "auxiliary-run":
      return `asked ${oneLine(fact.model)} for a ${fact.purpose}: ${fact.exit}${keptIn(fact.sessionId)}`;
    case "turn-unparked":
      return "taken up again";
    case "context-added":
      return `context from ${fact.contexts.map(({ source, text }) => `${oneLine(source)}: ${oneLine(text)}`).join("; ")}`;
    case "history-imported":
    case "steer-placed":
    case "injection-delivered":
    case "redirect-delivered":
      return undefined;
  }
}

const keptIn = (sessionId: string | undefined): string => (sessionId === undefined ? "" : ` (session ${sessionId})`);

const describe = (callId: string, { calls }: Course): string => describeCall(callId, calls.get(callId));
