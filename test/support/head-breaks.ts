import type { Fact } from "../../src/protocol/fact.ts";
import { isPlaceholder } from "../../src/protocol/projection/placeholder.ts";

/**
 * Facts that name why a head begins anew: less of the history is sent, or all of it otherwise; or what a turn was asked
 * that got no answer is one message with what comes next.
 */
export const breaksHead = (fact: Fact): boolean =>
  fact.type === "history-compacted" ||
  fact.type === "request-adjusted" ||
  (fact.type === "closing-message" && isPlaceholder(fact.message));
