import { type Compaction, shownHistory } from "../protocol/projection/compaction.ts";
import { project, shownAs } from "../protocol/projection/project.ts";
import { messageTokens, textTokens } from "../protocol/token-estimate.ts";
import { familyOf } from "../protocol/token-family.ts";
import { compactionThreshold, fitsWindow, MAX_STRIKES, replyReserve, roomBeside } from "../protocol/window.ts";
import { factorOf, MAX_PASSES } from "./gauge.ts";
import { outputLimit } from "./recovery/cut-reply.ts";
import type { Recovery } from "./recovery/rung.ts";
import type { View } from "./state.ts";

/** A conversation of no more messages than stay in any case is left as it is while it fits (hermes.md §13.1, §13.3). */
const LEAST_MESSAGES = 3 + 20 + 1;

/** A compaction that saves less than this did not help (hermes.md §13.2). */
const LEAST_SAVING = 0.1;

/** What is aimed at, as a share of the threshold: the next compaction is to be far away (nanobot.md §5.3). */
const AIM = 0.5;
/** So much of the messages is left at least, pass by pass, where what is in every request leaves them no room at all. */
const LEAST_SHARES = [0.2, 0.05, 0] as const;

/** From so many tokens on less of the history is sent: half of the window, at least 64,000, and never more than fits. */
export function threshold(window: number, maxOutput?: number): number {
  const fitting = roomBeside(replyReserve(maxOutput), window);
  return Math.max(1, Math.min(compactionThreshold(window), fitting));
}

/** About how many tokens the next request of the turn has: what a server has counted, and estimates of what came since. */
export function estimate(state: View): number {
  const { gauge, history, provider, model } = state;
  const { tokens, through } = gauge;
  const family = familyOf(model);
  if (tokens === undefined || gauge.provider !== provider || gauge.model !== model)
    return Math.ceil(fromScratch(state, state.compaction) * factorOf(gauge, state));
  let since = 0;
  for (let at = through; at < history.length; at++) {
    const message = history[at];
    const shown = message && shownAs(message);
    if (shown !== undefined) since += messageTokens(shown, family);
  }
  return since === 0 ? tokens : tokens + Math.ceil(since * factorOf(gauge, state));
}

/** What the next request has, and would have with another compaction. Reads all messages. */
export function weights(state: View, next: Compaction): { readonly before: number; readonly after: number } {
  const before = estimate(state);
  const share = fromScratch(state, next) / Math.max(1, fromScratch(state, state.compaction));
  return { before, after: Math.ceil(before * share) };
}

/** What is in every request, whatever the history. */
const fixedTokens = ({ overhead = 0, asked, model }: View): number =>
  overhead + textTokens(asked.system ?? "", familyOf(model));

function fromScratch(state: View, compaction: Compaction | undefined): number {
  const family = familyOf(state.model);
  const shown = project(shownHistory(state.history, compaction));
  return shown.reduce((sum, message) => sum + messageTokens(message, family), fixedTokens(state));
}

/** As `estimate`; undefined, and nothing is computed, where nobody knows how many the model takes. */
export const knownWeight = (state: View): number | undefined =>
  state.contextWindow === undefined ? undefined : estimate(state);

/** What a request of so many tokens leaves for the reply; never less than what every reply has. */
export const roomFor = (tokens: number, window: number, maxOutput: number | undefined): number =>
  Math.max(roomBeside(tokens, window), replyReserve(maxOutput));

/** Less is sent before a request is refused, where that has helped so far (row A10). */
export function relieve(state: View, tokens: number | undefined): Recovery | undefined {
  const { contextWindow: window, gauge, strikes } = state;
  if (tokens === undefined || window === undefined) return undefined;
  const maxOutput = outputLimit(state);
  const limit = threshold(window, maxOutput);
  if (tokens < limit || strikes >= MAX_STRIKES || gauge.passes >= MAX_PASSES) return undefined;
  const fits = fitsWindow(tokens, window, maxOutput);
  if (fits && messagesSent(state) <= LEAST_MESSAGES) return undefined;
  return { do: "compact", share: shareFor(state, { tokens, goal: limit * AIM, fits }), because: "pressure" };
}

interface Goal {
  readonly tokens: number;
  readonly goal: number;
  readonly fits: boolean;
}

/** Of the messages: what is in every request cannot be left out. */
function shareFor(state: View, { tokens, goal, fits }: Goal): number {
  const fixed = fixedTokens(state) * factorOf(state.gauge, state);
  const share = (goal - fixed) / Math.max(1, tokens - fixed);
  const [least] = LEAST_SHARES;
  if (fits) return Math.max(share, least);
  return share > 0 ? share : (LEAST_SHARES[state.gauge.passes] ?? 0);
}

function messagesSent({ history, compaction }: View): number {
  const { from = 0, head = 0 } = compaction ?? {};
  return history.length - Math.max(0, from - head);
}

/** How many tokens of messages a share of them is. */
export function targetOf(state: View, share: number): number {
  const fixed = fixedTokens(state) * factorOf(state.gauge, state);
  return Math.max(0, Math.floor((estimate(state) - fixed) * share));
}

export interface Judgement {
  readonly do: "judge-compaction";
  /** What the first request behind it really weighed. */
  readonly tokens: number;
  readonly strikes: number;
}

/** Whether a compaction has helped is seen by what the next request weighs where it is counted, not by estimates. */
export function dueJudgement(state: View): Judgement | undefined {
  const { gauge, contextWindow: window, strikes } = state;
  if (gauge.unjudged?.weighed === undefined) return undefined;
  const { before, after, told, weighed: tokens } = gauge.unjudged;
  // An estimate is compared with an estimate: both are wrong alike.
  const saved = 1 - (told ? tokens : after) / Math.max(1, before);
  const isOver = window !== undefined && tokens >= threshold(window, outputLimit(state));
  return { do: "judge-compaction", tokens, strikes: saved < LEAST_SAVING || isOver ? strikes + 1 : 0 };
}
