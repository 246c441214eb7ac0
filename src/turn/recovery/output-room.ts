import type { Rung } from "./rung.ts";

/** How often in one turn a smaller limit is tried (hermes.md §9.2). */
export const MAX_SMALLER = 3;
/** Tokens that are left free, since servers count differently. */
const MARGIN = 64;

/** Too much output was asked for: the next request asks for what is left. Nothing is compressed for it. */
export const askForLess: Rung = ({ outputRoom }, { smaller }) =>
  outputRoom !== undefined && smaller < MAX_SMALLER
    ? { do: "adjust-request", adjustment: { maxOutput: Math.max(1, outputRoom - MARGIN) } }
    : undefined;
