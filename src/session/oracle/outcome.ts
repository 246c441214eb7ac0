import { isDeepStrictEqual } from "node:util";
import type { Given } from "../../protocol/oracle.ts";
import type { TurnOutcome } from "../../protocol/outcome.ts";
import type { AuditedSession } from "../../protocol/store-audit.ts";
import { outcomeOf } from "../../turn/decide.ts";
import type { View } from "../../turn/state.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** I14, I7: the end that is kept of a turn is the one its facts come to, and what people were shown. */
export function watchOutcome(tell: Tell, _session: AuditedSession, { answers }: Given): Watch {
  return {
    fact: ({ fact, state }: Moment) => {
      if (fact.type !== "turn-end" || state === undefined) return;
      const { outcome } = fact;
      const told = differing(outcome, outcomeOf(state, outcome.exit));
      if (told.length > 0) tell("outcome-differs", told.join(", "));
      const why = contradiction(outcome, state);
      if (why !== undefined) tell("outcome-differs", `${outcome.exit}: ${why}`);
      const shown = answers?.get(state.turnId);
      if (shown !== undefined && shown !== outcome.answer) tell("answer-differs", state.turnId);
    },
  };
}

/** What was accepted and given back is told of where it arrives (arrivals.ts). */
const SAID = ["answer", "interruptedBy", "interruptMessage"] as const;

/** How long a failure wants to be waited for depends on how patient its turn was, which is no fact. */
const differing = (kept: TurnOutcome, folded: TurnOutcome): string[] => [
  ...SAID.filter((name) => !isDeepStrictEqual(kept[name], folded[name])),
  ...(kept.failure?.reason === folded.failure?.reason ? [] : ["failure"]),
];

/** What an end says that no fact bears out. */
function contradiction({ exit }: TurnOutcome, state: View): string | undefined {
  const stopped = state.interruptedBy !== undefined;
  if (exit.startsWith("interrupted_") !== stopped) return "interrupt-requested";
  if (!stopped && (exit === "time_limit") !== (state.timeUp !== undefined)) return "deadline-reached";
  if (exit === "money_limit" && state.purse?.end === undefined) return "money-end";
  if (exit === "guardrail_halt" && state.guard.halt === undefined) return "guardrail-halt";
  if (exit === "text_response" && !state.answered) return "assistant-message";
  return undefined;
}
