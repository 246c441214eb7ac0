import type { Store, StoredTurn } from "../protocol/store.ts";

export type TurnFound =
  | { readonly type: "found"; readonly turn: StoredTurn }
  | { readonly type: "none" }
  | { readonly type: "several"; readonly ids: readonly string[] };

/** The beginning of an id is taken from so many characters on. */
const PREFIX = 4;
/** So many candidates are named. */
const SHOWN = 5;

/** The turn that is meant by its id, by `last`, or by the beginning of its id that no other has. */
export function findTurn(store: Store, asked: string): TurnFound {
  const turn = store.turn(asked);
  if (turn !== undefined) return { type: "found", turn };
  const ids = asked.length < PREFIX || asked === "last" ? [] : store.turnIds(asked, SHOWN);
  const [one, ...others] = ids;
  const begun = one === undefined ? undefined : store.turn(one);
  if (begun === undefined) return { type: "none" };
  return others.length === 0 ? { type: "found", turn: begun } : { type: "several", ids };
}
