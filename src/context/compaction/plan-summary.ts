import { messageTokens } from "../../protocol/token-estimate.ts";
import { compactionThreshold } from "../../protocol/window.ts";
import type { SummaryRequest } from "../../protocol/ports.ts";
import { beginsTurn, headSize, type History, sumOf, tailStart } from "./boundaries.ts";
import { summaryBudget, tailBudget } from "./limits.ts";

/** What is left out, and what a summary has to tell. */
export interface SummaryPlan {
  readonly instruction: number;
  readonly head: number;
  /** The first message that stays behind the summary. */
  readonly from: number;
  /** The first message that the summary before this one does not tell of. */
  readonly tellFrom: number;
  /** How long the summary is to be, tokens. */
  readonly budget: number;
}

/** Less is not worth a call, tokens. */
const LEAST_TO_TELL = 400;

/** `window`: of the model that goes on with the conversation, tokens. Undefined where nothing worth a call is left out. */
export function planSummary(request: SummaryRequest, window: number): SummaryPlan | undefined {
  const { history, target, keepFrom = history.length } = request;
  const instruction = history.findLastIndex(beginsTurn);
  if (instruction < 0) return undefined;
  const room = Math.min(tailBudget(compactionThreshold(window)), target);
  const { head, start, tellFrom } = placesOf(request, instruction, room / 2);
  const longest = Math.min(summaryBudget(tokens(history, 0, history.length), window), Math.floor(target / 2));
  const tail = Math.max(0, Math.min(room, target - longest - tokens(history, 0, head)));
  const from = tailStart(history, { start, instruction, tail, keepFrom }, messageTokens);
  if (from === undefined || from <= start) return undefined;
  const compressed = tokens(history, tellFrom, from);
  if (compressed < LEAST_TO_TELL) return undefined;
  return { instruction, head, from, tellFrom, budget: Math.min(summaryBudget(compressed, window), longest) };
}

const tokens = (history: History, from: number, to: number): number => sumOf(history, from, to, messageTokens);

/** A head that stays keeps its bytes; what rules have left out since the last summary is told by the next. */
function placesOf(
  { history, compaction: before }: SummaryRequest,
  instruction: number,
  most: number,
): Pick<SummaryPlan, "head" | "tellFrom"> & { readonly start: number } {
  if (before === undefined) {
    const head = headSize(history, { instruction, most }, messageTokens);
    return { head, start: head, tellFrom: head };
  }
  const { head = 0, from, summary, summaryTo = from } = before;
  return { head, start: Math.max(head, from), tellFrom: summary === undefined ? head : summaryTo };
}
