import type { Halt } from "../protocol/guardrails.ts";
import { type Call, type Guard, type GuardSeen, keyOf, toolOf } from "./guardrails.ts";
import type { ReceiptFact } from "../protocol/fact.ts";
import type { OpenCall, View } from "./state.ts";

/** Security §3.2: the second no to the same plan ends the turn. */
const MAX_DENIALS = 2;
/** Nanobot §9.3: the third try at one place outside is told to stop. */
const MAX_TRIES_OUTSIDE = 2;

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

/** A try at a place outside that was refused, or that nobody agreed to; what was allowed counts for nothing. */
export function countOutside(counts: Guard, call: Readonly<OpenCall>, { status }: ReceiptFact["message"]): void {
  const { outside, ask } = call.inspection;
  if (outside === undefined) return;
  const wasAllowed = call.started && ask !== undefined;
  if (status === "denied" || (status === "error" && !wasAllowed))
    counts.outside.set(outside, (counts.outside.get(outside) ?? 0) + 1);
}

/**
 * It reaches for a place outside that was reached for in vain often enough, whatever tools did: nobody is asked again. The
 * calls of one reply are made before any of their refusals is read, so they do not count for each other.
 */
export const isThirdTry = (counts: GuardSeen, { inspection, approval, started }: Readonly<OpenCall>): boolean =>
  inspection.outside !== undefined &&
  (counts.outside.get(inspection.outside) ?? 0) >= MAX_TRIES_OUTSIDE &&
  approval === "unasked" &&
  !started;
