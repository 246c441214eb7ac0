import type { Fact } from "../../protocol/fact.ts";
import type { Store, StoredTurn } from "../../protocol/store.ts";

/**
 * Turns of a session whose children still run by the journal, or are not paid for, though the turn itself has ended: a
 * process closed it and died before it closed those. Looked at are children that have not ended and the newest one: the
 * others were seen to by whoever opened the session before. `openTurn`: the one that goes on, if any.
 */
export function leftBehind(store: Store, sessionId: string, openTurn: string | undefined): readonly string[] {
  const children = store.children(sessionId);
  const newest = Math.max(...children.map(({ updatedMs }) => updatedMs));
  const doubtful = children.filter(({ unfinished, updatedMs }) => unfinished || updatedMs === newest);
  const turns = new Set(
    doubtful.flatMap((child) => {
      const taskId = taskOf(store.turn(child.sessionId));
      if (taskId === undefined || taskId === openTurn) return [];
      const isPaid = chargedIn(store.turn(taskId)).has(child.sessionId);
      return child.unfinished || !isPaid ? [taskId] : [];
    }),
  );
  return [...turns];
}

/** The turn that gave a child its task. */
export function taskOf(child: StoredTurn | undefined): string | undefined {
  const first = child?.facts[0]?.fact;
  return first?.type === "turn-start" ? first.taskId : undefined;
}

/** The children whose account a turn has taken on. */
export const chargedIn = (turn: StoredTurn | undefined): ReadonlySet<string> =>
  new Set([...(turn?.facts ?? []), ...(turn?.after ?? [])].flatMap(({ fact }) => chargedBy(fact)));

const chargedBy = (fact: Fact): readonly string[] =>
  fact.type === "auxiliary-run" && fact.sessionId !== undefined ? [fact.sessionId] : [];
