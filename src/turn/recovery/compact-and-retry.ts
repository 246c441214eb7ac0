import type { Rung } from "./rung.ts";

/** What each compaction of a turn aims at, as a share of what was sent; the last one leaves the least that makes sense. */
const SHARES = [1 / 2, 1 / 5, 0] as const;

/** How often a turn sends less because a request was too large (row D14). */
export const MAX_COMPACTIONS: number = SHARES.length;

/** A request that is too large is never sent again as it was: less is sent, at most three times, or the turn ends. */
export const compactAndRetry: Rung = (failure, state) => {
  const share = SHARES[state.compactions];
  if (!failure.shouldCompress || share === undefined || state.incompressible) return undefined;
  return { do: "compact", share };
};
