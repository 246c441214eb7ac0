import type { Fact } from "../../protocol/fact.ts";

/** Facts that the loop of a turn never records itself: they came from elsewhere, and come from there again. */
const FROM_OUTSIDE: ReadonlySet<Fact["type"]> = new Set([
  "interrupt-requested",
  "steer-accepted",
  "injection-accepted",
  "redirect-accepted",
  "deadline-reached",
  "approval-decided",
  "question-answered",
  "money-decided",
  "auxiliary-run",
  "history-imported",
  "context-added",
  "prompt-built",
]);

/** `asked`: the turn has asked a model before; until then a stand-in takes over outside of the loop. */
export function isOutside(fact: Fact, asked: boolean): boolean {
  if (fact.type !== "model-switched") return FROM_OUTSIDE.has(fact.type);
  return fact.because === undefined || !asked;
}

/** Another process, or this one again, takes the turn up. */
export const takesUp = (fact: Fact | undefined): boolean =>
  fact?.type === "turn-resumed" || fact?.type === "turn-unparked";
