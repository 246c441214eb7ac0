import type { Rung } from "./rung.ts";

/** How often in one turn a smaller limit is tried; what was left out of the history counts too (hermes.md §9.2). */
export const MAX_SMALLER = 3;
/** Tokens that are left free, since servers count differently. */
const MARGIN = 64;

/**
 * Too much output was asked for: the next request asks for what is left. Nothing is compressed for it, unless that was
 * asked for already.
 */
export const askForLess: Rung = ({ outputRoom }, { smaller, compactions, room = Infinity }) => {
  if (outputRoom === undefined || smaller + compactions >= MAX_SMALLER) return undefined;
  const maxOutput = Math.max(1, outputRoom - MARGIN);
  return maxOutput < room ? { do: "adjust-request", adjustment: { maxOutput } } : undefined;
};
