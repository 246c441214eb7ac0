import type { DatabaseSync } from "node:sqlite";
import { journalSum } from "../sums.ts";

interface Entry {
  readonly id: number;
  readonly session: number;
  readonly at: number;
  readonly facts: string;
  readonly opening: Uint8Array | null;
  readonly kept: number;
}

/** What is read of facts here, whatever their type. */
interface Told {
  readonly type: string;
  readonly compaction?: object;
  readonly learnt?: object;
  readonly strikes?: number;
  readonly turnId?: string;
  readonly idempotencyKey?: string;
}

/** An attempt without a request says nothing of its size. */
function unsized(facts: string): string {
  const told = JSON.parse(facts) as (Told & { readonly size?: unknown })[];
  return JSON.stringify(told.map(({ size, ...fact }) => (fact.type === "attempt-start" ? fact : { ...fact, size })));
}

/** Sessions whose own row is lost are called by the number they had. */
const NAMELESS = `insert into session(id, key, epoch, expires, created, nonce, named)
  select lost.session, 'recovered-' || lost.session, abs(random() % 1000000000), 0,
    coalesce((select min(at) from journal where session = lost.session), ?1), lower(hex(randomblob(6))), null
  from (select session from message union select session from journal) lost
  where lost.session not in (select id from session)`;

/** Nobody who had a lease has it any more; and who was made for a session that is lost is one of its own. */
const FREE = `update session set owner = null, epoch = epoch + 1;
  update session set parent = null, shared = null where parent is not null and parent not in (select id from session)`;

/**
 * Inside a transaction: all that follows from the rows of a store, where only those of sessions, messages, the journal
 * and openings could be saved. `nowMs`: when a session has begun that does not say it.
 */
export function derive(db: DatabaseSync, nowMs: number): void {
  const had = new Set(
    db
      .prepare("select id from session")
      .all()
      .map(({ id }) => Number(id)),
  );
  db.prepare(NAMELESS).run(nowMs);
  db.exec(FREE);
  for (const { id } of db.prepare("select id from session").all()) if (!had.has(Number(id))) noteAgain(db, Number(id));
  deriveTurns(db);
  dropParted(db);
}

const ENTRIES = "select id, session, at, facts, opening, tail is not null as kept from journal order by id";
const entriesOf = (db: DatabaseSync): Iterable<Entry> => db.prepare(ENTRIES).iterate() as unknown as Iterable<Entry>;

/** Where turns begin and end, and what was charged to them later. */
function deriveTurns(db: DatabaseSync): void {
  db.exec("delete from turn; delete from charge");
  const turn = db.prepare("insert or ignore into turn(session, name, first, key) values(?, ?, ?, ?)");
  const end = db.prepare(
    "update turn set last = ?2 where last is null and id = (select max(id) from turn where session = ?1)",
  );
  const charge = db.prepare("insert into charge(session, turn, journal) values(?, ?, ?)");
  for (const { id, session, facts } of entriesOf(db))
    for (const { type, turnId, idempotencyKey } of JSON.parse(facts) as Told[]) {
      if (type === "turn-start") turn.run(session, turnId ?? "", id, idempotencyKey ?? null);
      if (type === "turn-end") end.run(session, id);
      if (type === "auxiliary-run" && turnId !== undefined) charge.run(session, turnId, id);
    }
}

/** A request that cannot be put together any more is none. */
function dropParted(db: DatabaseSync): void {
  const known = db.prepare("select 1 from opening where hash = ?");
  const drop = db.prepare(
    "update journal set opening = null, added = null, tail = null, sum = ?, facts = ? where id = ?",
  );
  /** Sessions whose newest request can be put together. */
  const whole = new Set<number>();
  const isWhole = ({ session, opening }: Entry): boolean => {
    if (opening !== null && known.get(opening) !== undefined) whole.add(session);
    else if (opening !== null) whole.delete(session);
    return whole.has(session);
  };
  const parted = [...entriesOf(db)].filter((entry) => entry.kept === 1 && !isWhole(entry));
  for (const { id, session, at, facts } of parted) {
    const without = unsized(facts);
    drop.run(journalSum(session, { at, facts: without }), without, id);
  }
  db.exec("delete from opening where not exists(select 1 from journal where journal.opening = opening.hash)");
}

/** Inside a transaction: what a session keeps of itself beside its journal, as the facts in that say it. */
export function noteAgain(db: DatabaseSync, session: number): void {
  let compaction: object | undefined;
  let learnt: object | undefined;
  let strikes: number | undefined;
  for (const { facts } of db.prepare("select facts from journal where session = ? order by id").iterate(session))
    for (const fact of JSON.parse(String(facts)) as Told[])
      if (fact.type === "history-compacted" || fact.type === "session-forked") {
        ({ compaction } = fact);
        learnt = fact.type === "session-forked" ? fact.learnt : learnt;
      } else if (fact.type === "request-adjusted") learnt = fact.learnt ?? learnt;
      else if (fact.type === "compaction-judged") ({ strikes } = fact);
  const text = (note: object | undefined): string | null => (note === undefined ? null : JSON.stringify(note));
  db.prepare("update session set compaction = ?2, learnt = ?3, strikes = ?4 where id = ?1").run(
    session,
    text(compaction),
    text(learnt),
    strikes ?? null,
  );
}
