import type { Fact } from "../protocol/fact.ts";
import type { OpenCall } from "./state.ts";

export type ApprovalFact = Extract<
  Fact,
  {
    type: "approval-requested" | "approval-decided" | "approval-expired" | "question-asked" | "question-answered";
  }
>;

/** What people were asked, and what they said. */
export function foldApproval(openCall: (callId: string) => OpenCall, fact: ApprovalFact): void {
  if (fact.type === "question-answered") {
    const call = openCall(fact.callId);
    call.approval = "unasked";
    call.answer = fact.text;
    return;
  }
  if (fact.type === "approval-decided") {
    const call = openCall(fact.callId);
    call.approval = fact.allow ? "allowed" : "denied";
    call.answeredMs = fact.atMs;
    return;
  }
  for (const call of fact.callIds.map(openCall)) {
    if (fact.type !== "approval-expired") call.asks = (call.asks ?? 0) + 1;
    call.approval = fact.type === "approval-expired" ? "unasked" : "asked";
    call.answeredMs = undefined;
  }
}
