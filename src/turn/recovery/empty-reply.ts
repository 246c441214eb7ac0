import type { ExitReason } from "../../protocol/exit.ts";
import type { EmptyRung } from "../../protocol/fact.ts";
import type { View } from "../state.ts";

/** How often each rung may be taken between two replies with something in them (row C9). */
export const EMPTY_LIMITS: Readonly<Record<EmptyRung, number>> = { nudge: 1, prefill: 2, recall: 2, finalise: 1 };

/** A tool's answer this close to the end is what the model should have spoken about (hermes.md §8.2). */
const RECENT = 5;

/** The end that an empty reply brings, if it brings one: what was said before a housekeeping batch is better than nothing. */
export function exitOfEmptyReply(state: View): ExitReason | undefined {
  if (state.housekeeping !== undefined) return "fallback_prior_turn_content";
  return nextRung(state) === undefined ? "empty_response_exhausted" : undefined;
}

/** What is tried after an empty reply, in the order of row C9; undefined when all of it was tried. */
export function nextRung(state: View): EmptyRung | undefined {
  if (followsTool(state) && isLeft("nudge", state)) return "nudge";
  if (state.thought !== undefined && isLeft("prefill", state)) return "prefill";
  if (isLeft("recall", state)) return "recall";
  return isLeft("finalise", state) ? "finalise" : undefined;
}

const isLeft = (rung: EmptyRung, { rungs }: View): boolean =>
  rungs.filter((taken) => taken === rung).length < EMPTY_LIMITS[rung];

const followsTool = ({ history, firstSeq }: View): boolean =>
  history.slice(Math.max(firstSeq, history.length - RECENT)).some((message) => message?.role === "tool");
