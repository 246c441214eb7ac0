import type { WaitingCall } from "../protocol/outcome.ts";
import type { OpenTurn, Store } from "../protocol/store.ts";
import { askedCalls } from "../turn/decide.ts";
import { type Answer, answerFact, wordsFact } from "./answer.ts";
import { readTurn, stateOf } from "./unfinished.ts";

/** A call of any session of a store that waits for a person. */
export interface Question {
  readonly turn: OpenTurn;
  readonly call: WaitingCall;
  /** Milliseconds since the epoch. */
  readonly askedMs: number;
}

/** All questions that stand open, whoever asked them; the newest turn first. Reading takes no lease. */
export function openQuestions(store: Store): Question[] {
  return store.openTurns().flatMap((turn) => {
    const { state, waiting } = readTurn(turn);
    return askedCalls(state).map((call) => ({ turn, call, askedMs: waiting?.sinceMs ?? 0 }));
  });
}

export interface Decision extends Answer {
  readonly stop?: boolean;
}

/** What a person says to a question. */
export interface Words {
  readonly words: string;
}

/**
 * Records what a person decided about one call of a turn that no process runs, and gives the session back: whoever goes
 * on with the turn finds it decided. Returns the calls of the turn that still wait; undefined when this call does not
 * wait any more, and then nothing is changed: an answer never reaches another question than its own (APPR-02).
 * Rejects with StoreError, `busy` while another process works in the session. `stop`: the turn ends when it is gone on with.
 */
export async function decideQuestion(
  store: Store,
  { turn, call }: Question,
  decision: Decision | Words,
): Promise<readonly WaitingCall[] | undefined> {
  const stored = await store.open(turn.sessionId);
  try {
    const state = stateOf(stored.openTurn);
    const asked = askedCalls(state);
    if (!asked.some(({ approvalId }) => approvalId === call.approvalId)) return undefined;
    const writer = stored.writer(() => undefined);
    const stop = "stop" in decision && decision.stop === true;
    writer.append(
      "words" in decision
        ? wordsFact(call, decision.words)
        : answerFact(state, call, { allow: decision.allow, scope: decision.scope, atMs: Date.now() }),
    );
    if (stop) writer.append({ type: "interrupt-requested", by: "user" });
    await writer.barrier();
    return stop ? [] : asked.filter(({ approvalId }) => approvalId !== call.approvalId);
  } finally {
    stored.release();
  }
}
