import { MAX_CONTINUATIONS } from "./cut-reply.ts";
import type { Rung } from "./rung.ts";

/** Kinds of failure behind which a server is likely to be well again at once. */
const PASSING: ReadonlySet<string> = new Set(["timeout", "unknown"]);

/**
 * A stream that broke behind visible text is asked for the rest, at once where only the line was bad (row C10). What is
 * left passes to the rungs below: they wait first, and the text still stands.
 */
export const continueBroken: Rung = (failure, state) => {
  if (state.reply !== "broken" || !failure.retryable || state.cut === undefined) return undefined;
  if (state.cut.times > MAX_CONTINUATIONS || !PASSING.has(failure.reason)) return undefined;
  return { do: "wait-and-retry", delayMs: 0, jitterMs: 0 };
};
