import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type {
  AuditedFact,
  AuditedPlace,
  AuditedRow,
  AuditedSession,
  AuditedTurn,
  SearchAudit,
  StoreAudit,
  Stray,
} from "../../protocol/store-audit.ts";
import { ownerOf } from "./lease-holder.ts";
import { type BareFact, type BodyAt, factOf } from "./rows.ts";
import { visibleText } from "./search-find.ts";
import { changedRows } from "./sums.ts";
import { indexedText } from "./search-text.ts";
import { ENTRY, type EntryRow, soundBodyAt, soundEntry } from "./sums.ts";

/** What is wrong is told this often of one kind; who mends the first of them has mended all. */
const MOST = 100;

/** Reads in one snapshot, whoever writes meanwhile. */
export function audited<T>(db: DatabaseSync, look: (audit: StoreAudit) => T): T {
  db.exec("begin");
  try {
    return look({ damage: damageOf(db), strays: straysOf(db), search: searchOf(db), sessions: sessionsOf(db) });
  } finally {
    if (db.isTransaction) db.exec("commit");
  }
}

function damageOf(db: DatabaseSync): string[] {
  const found = db.prepare(`pragma integrity_check(${MOST})`).all();
  const pages = found.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok");
  return [...pages, ...changedRows(db, MOST).map((row) => `not as it was saved: ${row}`)];
}

const HOMELESS = ["message", "journal", "turn", "charge"].map(
  (table) => `select '${table} ' || rowid as what from ${table} where session not in (select id from session)`,
);

const STRAYS: readonly string[] = [
  ...HOMELESS,
  "select 'turn ' || id as what from turn where first not in (select id from journal)",
  "select 'turn ' || id as what from turn where last is not null and last not in (select id from journal)",
  `select 'session ' || id as what from session
    where parent is null and shared is not null or shared < 0 or strikes < 0 or created < 0`,
];

function straysOf(db: DatabaseSync): Stray[] {
  const rows = STRAYS.flatMap((sql) =>
    db
      .prepare(`${sql} limit ${MOST}`)
      .all()
      .map((row): Stray => ({ kind: "row", what: String(row["what"]) })),
  );
  return [...rows, ...openingsOf(db), ...chargesOf(db)];
}

/** What many requests begin with is found by its hash. */
function openingsOf(db: DatabaseSync): Stray[] {
  const found: Stray[] = [];
  for (const row of db.prepare("select id, hash, body from opening").iterate()) {
    const { id, hash, body } = row as { readonly id: number; readonly hash: Uint8Array; readonly body: Uint8Array };
    if (!createHash("sha256").update(body).digest().equals(hash))
      found.push({ kind: "opening", what: `opening ${id}` });
  }
  return found;
}

/** Each names a journal row that holds what was done on the account of its turn. */
const CHARGES = `select 'charge ' || charge.rowid as what from charge left join journal on journal.id = charge.journal
  where journal.id is null or journal.session <> charge.session or not exists(select 1 from json_each(journal.facts)
    where value ->> '$.type' = 'auxiliary-run' and value ->> '$.turnId' = charge.turn)`;

/** A journal row that is no JSON is told of as such. */
function chargesOf(db: DatabaseSync): Stray[] {
  try {
    return db
      .prepare(`${CHARGES} limit ${MOST}`)
      .all()
      .map((row) => ({ kind: "charge", what: String(row["what"]) }));
  } catch {
    return [];
  }
}

/** Both walk the rows in their order. */
function searchOf(db: DatabaseSync): SearchAudit {
  const indexed = Number(db.prepare("select indexed from search_progress").get()?.["indexed"]);
  const newest = Number(db.prepare("select max(id) as id from message").get()?.["id"] ?? 0);
  const expected = idsToFind(db, indexed);
  const unknown: number[] = [];
  const missing: number[] = [];
  let next = expected.next();
  for (const row of db.prepare("select id from words_docsize order by id").iterate()) {
    const id = Number(row["id"]);
    for (; !next.done && next.value < id; next = expected.next()) missing.push(next.value);
    if (!next.done && next.value === id) next = expected.next();
    else unknown.push(id);
  }
  for (; !next.done; next = expected.next()) missing.push(next.value);
  return { unknown, missing, ahead: indexed > newest };
}

function* idsToFind(db: DatabaseSync, indexed: number): Generator<number, undefined> {
  const rows = db.prepare(
    `select message.id, part, body from message join session on session.id = message.session
      where message.id <= ? and purpose is null order by message.id`,
  );
  for (const row of rows.iterate(indexed)) {
    const { id, part, body } = row as { readonly id: number; readonly part: number; readonly body: string };
    if (hasWords(part, body)) yield id;
  }
  return undefined;
}

/** A body that cannot be read is told of where it is read. */
function hasWords(part: number, body: string): boolean {
  try {
    return indexedText(visibleText(part, body)).words !== "";
  } catch {
    return true;
  }
}

interface SessionRow {
  readonly id: number;
  readonly key: string;
  readonly owner: string | null;
  readonly expires: number;
  readonly purpose: string | null;
  readonly parent: number | null;
  readonly shared: number | null;
  readonly compaction: string | null;
  readonly learnt: string | null;
  readonly strikes: number | null;
}

/** Whether it goes on from itself, by whatever way. */
const CIRCLE = `with recursive above(id) as (select parent from session where id = ?1
    union select parent from session join above using(id) where parent is not null)
  select 1 from above where id = ?1`;

const OWN_LENGTH = "select coalesce(max(seq) + 1, 0) as messages from message where session = ?";

function* sessionsOf(db: DatabaseSync): Generator<AuditedSession> {
  const turns = db.prepare("select name as turnId, first, last, key from turn where session = ? order by id");
  const places = db.prepare("select seq, part from message where session = ? order by seq, part");
  const above = db.prepare("select key, shared from session where id = ?");
  const length = db.prepare(OWN_LENGTH);
  const circle = db.prepare(CIRCLE);
  const parentOf = ({ id, parent, shared }: SessionRow): AuditedSession["parent"] => {
    if (parent === null) return null;
    if (circle.get(id) !== undefined) return { sessionId: undefined, shared, messages: 0 };
    const found = above.get(parent) as { readonly key: string; readonly shared: number | null } | undefined;
    const own = Number(length.get(parent)?.["messages"]);
    return { sessionId: found?.key, shared, messages: Math.max(own, found?.shared ?? 0) };
  };
  for (const found of db.prepare("select * from session order by id").iterate()) {
    const row = found as unknown as SessionRow;
    yield {
      sessionId: row.key,
      purpose: row.purpose,
      parent: parentOf(row),
      lease: row.owner === null ? null : { owner: row.owner, alive: ownerOf(row)?.alive === true },
      notes: { compaction: parsed(row.compaction), learnt: parsed(row.learnt), strikes: row.strikes ?? 0 },
      turns: turns.all(row.id) as unknown as AuditedTurn[],
      rows: rowsOf(db, row.id),
      places: places.iterate(row.id) as unknown as Iterable<AuditedPlace>,
    };
  }
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface JournalColumns extends EntryRow {
  readonly id: number;
  readonly known: number;
}

const JOURNAL = ENTRY.replace(
  "select",
  "select id, exists(select 1 from opening where hash = journal.opening) as known,",
).concat(" where session = ? order by id");

function* rowsOf(db: DatabaseSync, session: number): Generator<AuditedRow> {
  const body = db.prepare("select body, sum from message where session = ? and seq = ? and part = ?");
  const bodyAt: BodyAt = (seq, part) => soundBodyAt(body, session, { seq, part });
  let before = false;
  for (const found of db.prepare(JOURNAL).iterate(session)) {
    const row = found as unknown as JournalColumns;
    yield { id: row.id, atMs: row.at, facts: factsOf(session, row, bodyAt), request: requestOf(row, before) };
    before ||= row.tail !== null;
  }
}

/** `before`: the session has kept another one, which this one may go on from. */
function requestOf({ tail, opening, known }: JournalColumns, before: boolean): AuditedRow["request"] {
  if (tail === null) return null;
  if (opening === null) return before ? "whole" : { trouble: "it goes on from one that is missing" };
  return known === 1 ? "whole" : { trouble: "what it begins with is missing" };
}

function factsOf(session: number, row: JournalColumns, bodyAt: BodyAt): AuditedFact[] {
  const unreadable: AuditedFact = { trouble: "row", what: row.facts.slice(0, 40), places: [] };
  try {
    const bare = JSON.parse(soundEntry(session, row).facts) as readonly BareFact[];
    return Array.isArray(bare) ? bare.map((fact) => factIn(fact, bodyAt)) : [unreadable];
  } catch {
    return [unreadable];
  }
}

function factIn(bare: BareFact, bodyAt: BodyAt): AuditedFact {
  try {
    return { fact: factOf(bare, bodyAt) };
  } catch {
    const places = placesIn(bare);
    return { trouble: "message", what: `${bare.type} ${places.map(({ seq }) => seq).join(" ")}`, places };
  }
}

function placesIn(bare: BareFact): AuditedPlace[] {
  if (!("seq" in bare)) return [];
  const { seq } = bare;
  switch (bare.type) {
    case "history-imported":
      return Array.from({ length: bare.count }, (_, at) => ({ seq: seq + at, part: 0 }));
    case "context-added":
      return Array.from({ length: bare.count }, (_, at) => ({ seq, part: bare.part + at }));
    case "steer-placed":
      return [{ seq, part: bare.part }];
    default:
      return [{ seq, part: 0 }];
  }
}
