import type { Fact } from "../protocol/fact.ts";
import type { OpenTurn, Store, StoredTurn } from "../protocol/store.ts";
import type { Waiting } from "../protocol/waiting.ts";
import { apply } from "../turn/apply.ts";
import { initialState, type TurnState, UNATTENDED, type View } from "../turn/state.ts";
import type { Text } from "../words/language.ts";
import { leftSentence, NOT_ENDED } from "../words/waiting.ts";
import { noteTime, waitingOf, type WaitTimes } from "../turn/waiting.ts";

/** A turn as its facts tell it to somebody who does not run it. */
export interface ReadTurn {
  readonly state: View;
  readonly waiting: Waiting | undefined;
}

export function readTurn({ facts }: StoredTurn): ReadTurn {
  const times: WaitTimes = {};
  for (const { fact, atMs } of facts) noteTime(times, fact, atMs);
  const state = stateOf(facts.map(({ fact }) => fact));
  return { state, waiting: waitingOf(state, times) };
}

/** The state behind the facts of one turn, with the messages of that turn alone. */
export function stateOf(facts: readonly Fact[]): View {
  const state = stateBefore(facts);
  for (const fact of facts) apply(state, fact);
  return state;
}

/** The state before the first of these facts, for whoever follows them one by one. */
export function stateBefore(facts: readonly Fact[]): TurnState {
  const [start] = facts;
  const asked = start?.type === "turn-start" ? start : { model: "", provider: "", maxIterations: 0 };
  const { model, provider, maxIterations } = asked;
  // Facts do not depend on the policies their turn ran under.
  return initialState({ model, provider, maxIterations, approvals: "park", ...UNATTENDED }, []);
}

/** The turn of a session that nobody runs and that has not ended. */
export const leftTurn = (store: Pick<Store, "openTurns">, sessionId: string): OpenTurn | undefined =>
  store.openTurns().find((turn) => turn.sessionId === sessionId && turn.owner?.alive !== true);

/** What such a turn was doing when its process went, or whom it waits for: one sentence. */
export function whyLeft(turn: StoredTurn, nowMs: number): Text {
  const { waiting } = readTurn(turn);
  if (waiting === undefined) return NOT_ENDED;
  return { en: leftSentence(waiting, nowMs, "en"), zh: leftSentence(waiting, nowMs, "zh") };
}
