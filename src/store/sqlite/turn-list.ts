import type { DatabaseSync } from "node:sqlite";
import type { Fact } from "../../protocol/fact.ts";
import type { ListedTurn, Store, TimedFact, TurnFilter } from "../../protocol/store.ts";
import { factsIn } from "./rows.ts";
import { ENTRY, soundBodyAt, soundEntries } from "./sums.ts";
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

/** Where a turn ended, and where the next one of its session begins. */
const BEHIND = `select turn.session, turn.last,
    (select min(first) from turn later where later.session = turn.session and later.id > turn.id) as next
  from turn where name = ? and last is not null order by turn.id desc limit 1`;

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

/** Of the session, behind the end of a turn and before the next one. */
function factsBehind(db: DatabaseSync, turnId: string): TimedFact[] {
  const place = db.prepare(BEHIND).get(turnId);
  if (place === undefined) return [];
  const [session, last, next] = [Number(place["session"]), Number(place["last"]), place["next"]];
  const rows = db.prepare(`${ENTRY} where session = ? and id between ? and ? order by id`);
  const body = db.prepare("select body, sum from message where session = ? and seq = ? and part = ?");
  const facts = soundEntries(
    session,
    rows.all(session, last, next === null ? Number.MAX_SAFE_INTEGER : Number(next)),
  ).flatMap((row) => factsIn(row, (seq, part) => soundBodyAt(body, session, { seq, part })));
  const behind = facts.slice(endIn(facts, turnId));
  const begins = behind.findIndex(({ fact }) => fact.type === "turn-start");
  return begins < 0 ? behind : behind.slice(0, begins);
}

/** The row in which a turn ends may hold another one whole. */
function endIn(facts: readonly TimedFact[], turnId: string): number {
  const start = facts.findIndex(({ fact }) => fact.type === "turn-start" && fact.turnId === turnId);
  return facts.findIndex(({ fact }, at) => at > start && fact.type === "turn-end") + 1;
}

/** What a store says of its turns without reading them. */
export function turnLists(db: DatabaseSync, path: string): Pick<Store, "turns" | "turnIds" | "behind" | "version"> {
  const version = db.prepare("pragma data_version");
  return {
    turns: (filter) => eachWithStoreErrors(path, turnsIn(db, filter)),
    turnIds: (beginning, most) => withStoreErrors(path, () => turnNames(db, beginning, most)),
    behind: (turnId) => withStoreErrors(path, () => factsBehind(db, turnId)),
    version: () => withStoreErrors(path, () => Number(version.get()?.["data_version"])),
  };
}
