import type { Halt } from "../protocol/guardrails.ts";
import { type Call, type Guard, type GuardSeen, keyOf, toolOf } from "./guardrails.ts";
import type { OpenCall, View } from "./state.ts";

/** Security §3.2: the second no to the same plan ends the turn. */
const MAX_DENIALS = 2;

/** What would run is the same where its plan is, however the call was written. */
const planOf = (call: Call): string => call.inspection.plan?.digest ?? keyOf(call);

/** Somebody did not agree to this call. */
export function countDenial(counts: Guard, call: Call): void {
  const plan = planOf(call);
  const times = (counts.denials.get(plan)?.times ?? 0) + 1;
  counts.denials.set(plan, { tool: toolOf(call), times });
}

/** It was refused in this turn: nobody is asked about it a second time. */
export const wasDenied = (counts: GuardSeen, call: Readonly<OpenCall>): boolean =>
  call.approval === "unasked" && call.inspection.ask !== undefined && counts.denials.has(planOf(call));

/** A model that asks for what was refused gets no further by asking again. */
export function haltOfDenials({ guard }: View): Halt | undefined {
  for (const { tool, times } of guard.denials.values())
    if (times >= MAX_DENIALS) return { code: "repeated_denial_halt", tool, count: times };
  return undefined;
}
