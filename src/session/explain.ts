import type { Fact } from "../protocol/fact.ts";
import { callsOf, textOf, type ToolCallPart } from "../protocol/message.ts";
import type { StoredTurn, TimedFact } from "../protocol/store.ts";
import { duration } from "../words/durations.ts";
import { exitWords } from "../words/exits.ts";
import type { Language } from "../words/language.ts";
import { describeCall, oneLine } from "./plain-text.ts";

/** What the facts so far tell about those that follow. */
interface Course {
  readonly calls: Map<string, ToolCallPart>;
  /** An attempt has begun and nothing of it was recorded yet. */
  attemptOpen: boolean;
  /** Calls to the model that failed since it last answered. */
  failures: number;
  readonly language: Language;
}

/** What happened in a turn, step by step, from its facts alone: one line each, with seconds since its start. */
export function explainTurn(turn: StoredTurn, language: Language = "en"): string[] {
  const startMs = turn.facts[0]?.atMs ?? 0;
  const course: Course = { calls: new Map(), attemptOpen: false, failures: 0, language };
  const lines = turn.facts.flatMap((timed) => {
    const text = sentence(timed.fact, course);
    follow(timed.fact, course);
    return text === undefined ? [] : [`${seconds(timed, startMs)}  ${text}`];
  });
  return [`turn ${turn.turnId} of session ${turn.sessionId}`, ...lines, ...ending(turn, course)];
}

function follow(fact: Fact, course: Course): void {
  if (fact.type === "attempt-start") course.attemptOpen = true;
  if (fact.type === "model-failure") course.failures++;
  if (fact.type === "assistant-message" || fact.type === "reply-empty") course.failures = 0;
  if (ANSWERED.has(fact.type)) course.attemptOpen = false;
}

const ANSWERED: ReadonlySet<Fact["type"]> = new Set([
  "assistant-message",
  "attempt-cancelled",
  "reply-empty",
  "model-failure",
]);

const NOT_KEPT = "what the model had streamed of its reply by then was not kept";

const seconds = ({ atMs }: TimedFact, startMs: number): string =>
  `${((atMs - startMs) / 1_000).toFixed(2)} s`.padStart(9);

function ending({ facts }: StoredTurn, { attemptOpen, failures, language }: Course): string[] {
  const last = facts.at(-1)?.fact;
  if (last?.type === "turn-end") {
    const { exit, failure, answer } = last.outcome;
    const words = exitWords(exit, { failure, tries: failures, answered: answer !== null });
    return words === undefined ? [] : [words.explain[language]];
  }
  if (last?.type === "turn-parked") return [exitWords("parked_for_approval")?.explain[language] ?? ""];
  return [
    "The turn has not ended: it is running, or its process died. Resume its session to go on or to close it.",
    ...(attemptOpen ? [`If its process died, ${NOT_KEPT}.`] : []),
  ];
}

function sentence(fact: Fact, course: Course): string | undefined {
  switch (fact.type) {
    case "turn-start":
      return `asked: ${oneLine(textOf(fact.message))}`;
    case "attempt-start":
    case "attempt-cancelled":
    case "assistant-message":
    case "reply-empty":
    case "model-failure":
    case "retry-scheduled":
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

type ModelFact = Extract<
  Fact,
  {
    type:
      | "attempt-start"
      | "attempt-cancelled"
      | "assistant-message"
      | "reply-empty"
      | "model-failure"
      | "retry-scheduled";
  }
>;

function modelSentence(fact: ModelFact, course: Course): string {
  switch (fact.type) {
    case "attempt-start":
      return `asking ${fact.model} (iteration ${fact.iteration}, attempt ${fact.attempt}${fact.grace ? ", last word without tools" : ""})`;
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
    case "model-failure":
      return `failed: ${fact.failure.reason}: ${oneLine(fact.failure.message)}`;
    case "retry-scheduled":
      return `waiting ${duration(fact.delayMs)} before the next attempt`;
  }
}

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
    case "closing-message":
      return fact.partial ? "keeping the text that had arrived" : undefined;
    case "bug-caught":
      return `a defect of Evander: ${oneLine(fact.message)}`;
    case "turn-parked":
      return "parked until somebody decides";
    case "turn-unparked":
      return "taken up again";
    case "context-added":
      return `${fact.context.source} adds context: ${oneLine(fact.context.text)}`;
    case "history-imported":
    case "steer-placed":
    case "injection-delivered":
    case "redirect-delivered":
      return undefined;
  }
}

const describe = (callId: string, { calls }: Course): string => describeCall(callId, calls.get(callId));
