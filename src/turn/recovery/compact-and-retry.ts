import { roughTokens } from "../../protocol/window.ts";
import type { Rung } from "./rung.ts";

/** What each compaction of a turn aims at, as a share of what was sent; the last one leaves the least that makes sense. */
const SHARES = [1 / 2, 1 / 5, 0] as const;

/** How often a turn sends less, or asks for less, because a request was too large (row D14). */
export const MAX_COMPACTIONS: number = SHARES.length;

/** Tokens that an account may send which has to pay extra for more (hermes.md §9.2, step 16), and some to be sure. */
const USUAL_TIER = 200_000;
const MARGIN = 0.9;

/** A request that is too large is never sent again as it was: less is sent, at most three times, or the turn ends. */
export const compactAndRetry: Rung = (failure, state) => {
  const share = state.smaller + state.compactions < MAX_COMPACTIONS ? SHARES[state.compactions] : undefined;
  if (!failure.shouldCompress || share === undefined || state.incompressible) return undefined;
  const fits =
    failure.reason === "long_context_tier" && state.compactions === 0 ? tierShare(state.size?.bytes ?? 0) : 0;
  return { do: "compact", share: Math.max(share, fits), because: "too-large" };
};

/** What is left out of a request that is only a little too long for its tier is no more than has to be. */
function tierShare(bytes: number): number {
  const share = (MARGIN * USUAL_TIER) / Math.max(1, roughTokens(bytes));
  return share < 1 ? share : 0;
}
