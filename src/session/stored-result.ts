import { FINALISE_STEPS, finalise } from "./finalise.ts";
import type { StoredTurn } from "../protocol/store.ts";
import type { Language } from "../words/language.ts";
import { turnResult } from "./result.ts";
import type { TurnEnd } from "./turn.ts";
import { stateOf } from "./unfinished.ts";

/**
 * The end of a turn as its facts tell it, for somebody who did not run it; undefined while it has none. What is no fact
 * is not there: the address of the server, who named it, and what plug-ins made of the answer.
 */
export async function storedEnd(turn: StoredTurn, language: Language): Promise<TurnEnd | undefined> {
  const { facts, sessionId } = turn;
  const state = stateOf(facts.map(({ fact }) => fact));
  const { outcome } = state;
  if (outcome === undefined) return undefined;
  const durationMs = (facts.at(-1)?.atMs ?? 0) - (facts[0]?.atMs ?? 0);
  const about = { provider: state.setup.provider, baseUrl: null, source: null, language };
  const raw = turnResult({ state, outcome, about, sessionId, durationMs, followed: false });
  const result = await finalise(raw, { state, log: () => undefined, language }, FINALISE_STEPS);
  return { result, messages: state.history.slice(state.firstSeq).filter((message) => message !== undefined) };
}
