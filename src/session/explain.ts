import type { Fact } from "../protocol/fact.ts";
import { callsOf, textOf, type ToolCallPart } from "../protocol/message.ts";
import type { StoredTurn, TimedFact } from "../protocol/store.ts";
import { EXIT_WORDS } from "../words/exits.ts";

const LINE_CHARS = 100;

/** What happened in a turn, step by step, from its facts alone: one line each, with seconds since its start. */
export function explainTurn(turn: StoredTurn): string[] {
  const startMs = turn.facts[0]?.atMs ?? 0;
  const calls = new Map<string, ToolCallPart>();
  const lines = turn.facts.flatMap((timed) => {
    const text = sentence(timed.fact, calls);
    return text === undefined ? [] : [`${seconds(timed, startMs)}  ${text}`];
  });
  return [`turn ${turn.turnId} of session ${turn.sessionId}`, ...lines, ...ending(turn)];
}

const seconds = ({ atMs }: TimedFact, startMs: number): string =>
  `${((atMs - startMs) / 1_000).toFixed(2)} s`.padStart(9);

function ending({ facts }: StoredTurn): string[] {
  const last = facts.at(-1)?.fact;
  if (last?.type === "turn-end")
    return last.outcome.exit === "text_response" ? [] : [EXIT_WORDS[last.outcome.exit].explain];
  if (last?.type === "turn-parked") return [EXIT_WORDS.parked_for_approval.explain];
  return ["The turn has not ended: it is running, or its process died. Resume its session to go on or to close it."];
}

function sentence(fact: Fact, calls: Map<string, ToolCallPart>): string | undefined {
  switch (fact.type) {
    case "turn-start":
      return `asked: ${short(textOf(fact.message))}`;
    case "attempt-start":
    case "assistant-message":
    case "reply-empty":
    case "model-failure":
    case "retry-scheduled":
      return modelSentence(fact, calls);
    case "segment-start":
      return `running ${fact.callIds.map((callId) => describe(callId, calls)).join(", ")}`;
    case "receipt": {
      const { callId, status } = fact.message;
      return `${calls.get(callId)?.name ?? callId} → ${status}: ${short(textOf(fact.message))}`;
    }
    case "turn-end":
      return `ended: ${fact.outcome.exit}`;
    default:
      return courseSentence(fact, calls);
  }
}

type ModelFact = Extract<
  Fact,
  { type: "attempt-start" | "assistant-message" | "reply-empty" | "model-failure" | "retry-scheduled" }
>;

function modelSentence(fact: ModelFact, calls: Map<string, ToolCallPart>): string {
  switch (fact.type) {
    case "attempt-start":
      return `asking ${fact.model} (iteration ${fact.iteration}, attempt ${fact.attempt}${fact.grace ? ", last word without tools" : ""})`;
    case "assistant-message": {
      const asked = callsOf(fact.message);
      for (const call of asked) calls.set(call.callId, call);
      if (asked.length > 0) return `the model asks for ${asked.map((call) => describe(call.callId, calls)).join(", ")}`;
      return `the model ${fact.message.interrupted ? "was stopped at" : "answers"}: ${short(textOf(fact.message))}`;
    }
    case "reply-empty":
      return "the model answered with nothing";
    case "model-failure":
      return `failed: ${fact.failure.reason}: ${short(fact.failure.message)}`;
    case "retry-scheduled":
      return `waiting ${(fact.delayMs / 1_000).toFixed(1)} s before the next attempt`;
  }
}

type OtherFact = Exclude<Fact, ModelFact | { type: "turn-start" | "segment-start" | "receipt" | "turn-end" }>;

function courseSentence(fact: OtherFact, calls: Map<string, ToolCallPart>): string | undefined {
  switch (fact.type) {
    case "turn-resumed":
      return "resumed after its process had stopped";
    case "interrupt-requested":
      return fact.by === "superseded" ? "closed, because a new message came" : `stopped (${fact.by})`;
    case "steer-accepted":
    case "injection-accepted":
      return `the user adds: ${short(fact.text)}`;
    case "approval-requested":
      return `asking for approval of ${fact.callIds.map((callId) => describe(callId, calls)).join(", ")}`;
    case "approval-decided":
      return `${fact.allow ? "allowed" : "denied"}: ${describe(fact.callId, calls)}`;
    case "closing-message":
      return fact.partial ? "keeping the text that had arrived" : undefined;
    case "bug-caught":
      return `a defect of Evander: ${short(fact.message)}`;
    case "turn-parked":
      return "parked until somebody decides";
    case "turn-unparked":
      return "taken up again";
    case "history-imported":
    case "steer-placed":
    case "injection-delivered":
      return undefined;
  }
}

const describe = (callId: string, calls: ReadonlyMap<string, ToolCallPart>): string => {
  const call = calls.get(callId);
  return call === undefined ? callId : `${call.name} ${short(call.input)}`;
};

/** One printable line: nothing a model or a tool wrote may move the cursor of whoever reads it. */
function short(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS - 1)}…` : line;
}
