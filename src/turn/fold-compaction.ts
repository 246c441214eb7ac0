import type { CompactionFact, HistoryCompacted } from "../protocol/fact.ts";
import { MAX_STRIKES } from "../protocol/window.ts";
import { askOtherwise } from "./adjust.ts";
import { forgetResults } from "./guardrails.ts";
import type { TurnState } from "./state.ts";

/** What of the history is sent. */
export function foldCompaction(state: TurnState, fact: CompactionFact): void {
  switch (fact.type) {
    case "summary-start":
      state.summarising = true;
      return;
    case "compaction-failed":
      state.summarising = false;
      state.incompressible = true;
      return;
    case "compaction-judged":
      state.struckOut ||= fact.strikes >= MAX_STRIKES && state.strikes < MAX_STRIKES;
      state.strikes = fact.strikes;
      return;
    case "request-truncated":
      return;
    case "history-compacted":
      return compact(state, fact);
  }
}

/** The iteration goes on with less (row B3). */
function compact(state: TurnState, { compaction, because = "too-large" }: HistoryCompacted): void {
  state.summarising = false;
  state.compaction = compaction;
  forgetResults(state.guard);
  if (because !== "too-large") return;
  state.compactions++;
  askOtherwise(state);
}
