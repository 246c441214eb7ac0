import type { Store, StoredTurn } from "../../protocol/store.ts";

type Reading = Pick<Store, "children" | "turns" | "turn">;

/** The turns of the child agents that a turn has started, the oldest first; each of them is one session. */
export function childrenOf({ sessionId, facts }: StoredTurn, store: Reading): StoredTurn[] {
  const [first, last] = [facts[0], facts.at(-1)];
  if (first === undefined) return [];
  const untilMs = last?.fact.type === "turn-end" ? last.atMs : Infinity;
  return store.children(sessionId).flatMap((child) => {
    if (child.createdMs < first.atMs || child.createdMs > untilMs) return [];
    for (const { turnId } of store.turns({ sessionId: child.sessionId })) {
      const turn = store.turn(turnId);
      return turn === undefined ? [] : [turn];
    }
    return [];
  });
}
