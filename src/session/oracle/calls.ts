import { isWhole } from "../../protocol/history.ts";
import { type AssistantMessage, callsOf, type ToolMessage } from "../../protocol/message.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** I3: each call has one receipt, in the place that was kept for it, before a model is asked again; no other receipt is there. */
export function watchCalls(tell: Tell): Watch {
  /** Open calls, and the place of each. */
  const open = new Map<string, number>();
  const answered = new Set<string>();
  const missing = (): void => {
    for (const callId of open.keys()) tell("receipt-missing", callId);
    open.clear();
  };
  const ask = (message: AssistantMessage, seq: number): void => {
    missing();
    answered.clear();
    callsOf(message).forEach(({ callId }, at) => open.set(callId, seq + 1 + at));
  };
  const answer = ({ callId }: ToolMessage, seq: number): void => {
    const place = open.get(callId);
    if (place === undefined) tell(answered.has(callId) ? "receipt-twice" : "receipt-unasked", callId);
    else if (place !== seq) tell("receipt-misplaced", `${callId}: ${seq}, not ${place}`);
    open.delete(callId);
    answered.add(callId);
  };
  return {
    fact: ({ fact }: Moment) => {
      switch (fact.type) {
        case "turn-start":
          open.clear();
          return answered.clear();
        case "history-imported":
          if (!isWhole(fact.messages)) tell("receipt-missing", `history-imported ${fact.seq}`);
          return;
        case "assistant-message":
          return ask(fact.message, fact.seq);
        case "receipt":
          return answer(fact.message, fact.seq);
        case "attempt-start":
        case "injection-delivered":
        case "redirect-delivered":
        case "closing-message":
        case "turn-end":
          return missing();
        default:
      }
    },
  };
}
