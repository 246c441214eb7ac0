import type { Fact, TurnStart } from "../../protocol/fact.ts";
import type { Message, UserMessage } from "../../protocol/message.ts";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import type { View } from "../../turn/state.ts";
import type { Text } from "../../words/language.ts";
import {
  compactedBefore,
  noIteration,
  NOT_LEAVABLE,
  repairsReply,
  stillRuns,
  UNREADABLE_PAST,
} from "../../words/replay.ts";
import { stateOf } from "../unfinished.ts";

/** What a turn had come to before one of its iterations: what another turn goes on from. */
export interface Past {
  readonly start: TurnStart;
  /** The first iteration that is not in it. */
  readonly from: number;
  /** What was asked, with all that had joined it. */
  readonly message: UserMessage;
  /** What stood behind it: replies with all their receipts, and what the user had added. */
  readonly messages: readonly Message[];
}

export type PastFound =
  | { readonly type: "found"; readonly past: Past }
  | { readonly type: "refused"; readonly message: Text };

/** What a turn of a store had come to before iteration `from`, or why nothing can go on from there. Only reads. */
function pastBefore(store: Store, turn: StoredTurn, from: number): PastFound {
  const facts = turn.facts.map(({ fact }) => fact);
  const [start] = facts;
  const index = facts.findIndex((fact) => fact.type === "attempt-start" && fact.iteration === from);
  const trouble = running(store, turn) ?? (index < 0 ? noIteration(from, iterationsOf(facts)) : undefined);
  if (trouble !== undefined) return { type: "refused", message: trouble };
  if (start?.type !== "turn-start") return { type: "refused", message: UNREADABLE_PAST };
  const before = facts.slice(0, index);
  // A fork knows what was left out before the turn, and not what the turn left out itself.
  if (before.some(({ type }) => type === "history-compacted"))
    return { type: "refused", message: compactedBefore(from) };
  return pastIn({ start, from, state: stateOf(before) });
}

interface Cut {
  readonly start: TurnStart;
  readonly from: number;
  /** Right before the iteration is asked. */
  readonly state: View;
}

function pastIn({ start, from, state }: Cut): PastFound {
  const refused = (message: Text): PastFound => ({ type: "refused", message });
  if (state.cut !== undefined || state.reply === "empty") return refused(repairsReply(from));
  const [message, ...behind] = state.history.slice(start.seq);
  const messages = behind.filter((each) => each !== undefined);
  const isWhole = message?.role === "user" && messages.length === behind.length && state.open.size === 0;
  if (!isWhole || behind.at(-1)?.role === "assistant") return refused(UNREADABLE_PAST);
  return { type: "found", past: { start, from, message, messages } };
}

const iterationsOf = (facts: readonly Fact[]): number =>
  facts.reduce((most, fact) => (fact.type === "attempt-start" ? Math.max(most, fact.iteration) : most), 0);

function running(store: Store, { turnId }: StoredTurn): Text | undefined {
  const owner = store.openTurns().find((open) => open.turnId === turnId)?.owner;
  return owner?.alive === true ? stillRuns(owner.pid) : undefined;
}

export interface Leaving {
  /** The first iteration that is to be asked anew. */
  readonly from: number;
  /** Of the fork. */
  readonly sessionId: string;
  readonly title?: string | undefined;
}

/**
 * Leaves the session of a turn right before its message, in a visible fork that can take over what the turn had come to; where
 * it is refused there is none.
 */
export async function leaveForPast(
  store: Store,
  turn: StoredTurn,
  { from, sessionId, title }: Leaving,
): Promise<PastFound> {
  const found = pastBefore(store, turn, from);
  if (found.type === "refused") return found;
  const at = found.past.start.seq;
  const fork = await store.fork(sessionId, { from: turn.sessionId, at, title });
  if (fork?.at === at) return found;
  if (fork !== undefined) await store.remove(sessionId);
  return { type: "refused", message: NOT_LEAVABLE };
}
