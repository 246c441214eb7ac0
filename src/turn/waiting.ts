import type { Fact } from "../protocol/fact.ts";
import type { Waiting, WaitingFor } from "../protocol/waiting.ts";
import { askedCalls } from "./decide.ts";
import type { View } from "./state.ts";

/** When each kind of wait began last, in ms since the epoch. Facts bear no time: whoever sees them come adds it. */
export type WaitTimes = { [K in Waiting["type"]]?: number };

const BEGINS: Partial<Readonly<Record<Fact["type"], Waiting["type"]>>> = {
  "turn-start": "context",
  "turn-resumed": "context",
  "attempt-start": "model-reply",
  "retry-scheduled": "retry",
  "summary-start": "summary",
  "segment-start": "tools",
  "approval-requested": "approval",
  "question-asked": "approval",
  "question-answered": "resume",
  "approval-decided": "resume",
  "money-asked": "approval",
  "money-decided": "resume",
};

/** Notes what a fact began: constant cost, as `apply`. */
export function noteTime(times: WaitTimes, fact: Fact, atMs: number): void {
  times.store = atMs;
  const kind = BEGINS[fact.type];
  if (kind !== undefined) times[kind] = atMs;
}

/** What the turn waits for now; undefined before its first fact and after its last. */
export function waitingOf(state: View, times: Readonly<WaitTimes>): Waiting | undefined {
  if (state.turnId === "" || state.outcome !== undefined) return undefined;
  const waitingFor = whatFor(state);
  const sinceMs = times[waitingFor.type] ?? 0;
  return { ...waitingFor, sinceMs, untilMs: untilWhen(waitingFor.type, state, sinceMs) };
}

function untilWhen(type: Waiting["type"], state: View, sinceMs: number): number | null {
  if (type === "retry") return state.retryUntilMs ?? null;
  return type === "model-reply" && state.attemptLimitMs !== undefined ? sinceMs + state.attemptLimitMs : null;
}

/** A person who has to answer comes first: nothing else needs one. */
function whatFor(state: View): WaitingFor {
  const calls = askedCalls(state);
  if (calls.length > 0) return { type: "approval", calls };
  if (state.parked) return { type: "resume" };
  const running = [...state.open.values()].filter((call) => call.started);
  if (running.length > 0)
    return { type: "tools", names: running.map(({ part, inspection }) => inspection.name ?? part.name) };
  if (state.summarising) return { type: "summary" };
  if (state.attemptOpen) return { type: "model-reply", model: state.attemptModel, attempt: state.attempt };
  if (state.setup.informed === true && state.attempt === 0 && !state.advised) return { type: "context" };
  return state.retryUntilMs === undefined ? { type: "store" } : { type: "retry", attempt: state.attempt + 1 };
}
