import type { Fact, ReceiptFact } from "../../protocol/fact.ts";
import { APPROVAL_MS, type OpenCall, type View } from "../../turn/state.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** Between a decision and the commit that holds it, or a start and its own, ms: what is beyond is another clock. */
const COMMIT_MS = 60_000;

/** I13: an answer is one to a question that stood open, a no is kept, and a yes is used in its time. */
export function watchApprovals(tell: Tell): Watch {
  /** Calls with a yes, and when it was given by the clock of the journal; what another clock said is not known. */
  const yes = new Map<string, number>();
  const decided = ({ callId, allow, atMs }: Extract<Fact, { type: "approval-decided" }>, now: number): void => {
    yes.delete(callId);
    if (allow && atMs !== undefined && Math.abs(now - atMs) < COMMIT_MS) yes.set(callId, atMs);
  };
  const start = (callId: string, state: View | undefined, now: number): void => {
    const call = state?.open.get(callId);
    if (call?.approval === "denied") tell("ran-denied", callId);
    const given = yes.get(callId);
    if (given !== undefined && call?.started === false && now - given > APPROVAL_MS + COMMIT_MS)
      tell("yes-expired", callId);
  };
  return {
    fact: ({ fact, state, row: { atMs: now } }: Moment) => {
      switch (fact.type) {
        case "approval-decided":
          checkAsked(state?.open.get(fact.callId), fact.callId, tell);
          return decided(fact, now);
        case "question-answered":
          return checkAsked(state?.open.get(fact.callId), fact.callId, tell);
        case "money-decided":
          if (state?.purse !== undefined && state.purse.asked === undefined) tell("answer-unasked", "money");
          return;
        case "approval-expired":
          return fact.callIds.forEach((callId) => yes.delete(callId));
        case "segment-start":
          return fact.callIds.forEach((callId) => start(callId, state, now));
        case "receipt":
          return checkDenied(fact, state, tell);
        case "turn-start":
          return yes.clear();
        default:
      }
    },
  };
}

function checkAsked(call: Readonly<OpenCall> | undefined, callId: string, tell: Tell): void {
  if (call !== undefined && call.approval !== "asked") tell("answer-unasked", callId);
}

function checkDenied({ message: { callId, status } }: ReceiptFact, state: View | undefined, tell: Tell): void {
  if (status === "ok" && state?.open.get(callId)?.approval === "denied") tell("ran-denied", callId);
}
