import type { DatabaseSync } from "node:sqlite";
import type { Fact } from "../../protocol/fact.ts";
import type { ListedTurn, Store, TurnFilter } from "../../protocol/store.ts";
import { eachWithStoreErrors, withStoreErrors } from "./errors.ts";

/** Of turns of the newest first; nothing of a turn is read but its own row and the rows of the journal at both its ends. */
const TURNS = `select turn.name as turnId, session.key as sessionId, begun.at as startedMs, ended.at as endedMs, ended.facts,
    turn.last is null and turn.id = (select max(id) from turn newest where newest.session = turn.session) as open
  from turn join session on session.id = turn.session
    join journal begun on begun.id = turn.first
    left join journal ended on ended.id = turn.last
  where begun.at >= :since and begun.at < :until and (session.key = :session or (:session is null and session.purpose is null))
    and (:open = 0 or turn.last is null)
  order by turn.id desc`;

/** Names that begin so; by the index over them. */
const NAMES = `select distinct name from turn where name >= :from and name < :to order by name limit :most`;

interface Row {
  readonly turnId: string;
  readonly sessionId: string;
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly facts: string | null;
  readonly open: number;
}

function* turnsIn(db: DatabaseSync, filter: TurnFilter): Generator<ListedTurn> {
  const { sessionId = null, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, exit, unfinished = false } = filter;
  const asked = { session: sessionId, since: sinceMs, until: untilMs, open: unfinished ? 1 : 0 };
  for (const row of db.prepare(TURNS).iterate(asked) as Iterable<unknown>) {
    const turn = listed(row as Row);
    if ((exit === undefined || turn.exit === exit) && (!unfinished || turn.unfinished)) yield turn;
  }
}

function listed({ turnId, sessionId, startedMs, endedMs, facts, open }: Row): ListedTurn {
  const written = facts === null ? [] : (JSON.parse(facts) as Fact[]);
  const end = written.find((fact) => fact.type === "turn-end");
  return { turnId, sessionId, startedMs, endedMs, exit: end?.outcome.exit ?? null, unfinished: open === 1 };
}

/** A character that no name has stands behind all that begin so. */
const turnNames = (db: DatabaseSync, beginning: string, most: number): string[] =>
  db
    .prepare(NAMES)
    .all({ from: beginning, to: `${beginning}\u{10FFFF}`, most })
    .map(({ name }) => String(name));

/** What a store says of its turns without reading them. */
export function turnLists(db: DatabaseSync, path: string): Pick<Store, "turns" | "turnIds" | "version"> {
  const version = db.prepare("pragma data_version");
  return {
    turns: (filter) => eachWithStoreErrors(path, turnsIn(db, filter)),
    turnIds: (beginning, most) => withStoreErrors(path, () => turnNames(db, beginning, most)),
    version: () => withStoreErrors(path, () => Number(version.get()?.["data_version"])),
  };
}
