import type { DatabaseSync } from "node:sqlite";
import { legalHistory } from "../../../protocol/history.ts";
import type { Message } from "../../../protocol/message.ts";
import { noteAgain } from "./derive.ts";
import { entryOf, historyOf, type MessageRow } from "../rows.ts";
import { type Inserts, insertEntry } from "../writer.ts";

/** How far a session can be left as it is. */
export interface Cut {
  readonly sessionId: string;
  /** The turns from this one on are taken apart; absent: all of them. */
  readonly turnId?: string;
}

interface Session {
  readonly id: number;
  readonly epoch: number;
  readonly parent: number | null;
  readonly shared: number | null;
}

interface Told {
  readonly type: string;
  readonly seq?: number;
  readonly count?: number;
}

/**
 * Inside a transaction: the facts of a session from a place on are taken away, since they do not hold together any more,
 * and what was said there stands as taken in from elsewhere, every call with its one answer. Returns how many messages.
 */
export function cutSession(db: DatabaseSync, inserts: Inserts, { sessionId, turnId }: Cut): number {
  const session = db.prepare("select id, epoch, parent, shared from session where key = ?").get(sessionId) as
    | Session
    | undefined;
  if (session === undefined) return 0;
  const from = turnId === undefined ? 0 : firstRowOf(db, session.id, turnId);
  const begins = from === 0 ? beginningOf(db, session) : (session.shared ?? 0);
  const kept = from === 0 ? begins : Math.max(begins, placesBefore(db, session.id, from));
  const rest = restOf(db, session.id, kept);
  const before = from === 0 ? [] : messagesBefore(db, session, kept);
  const messages = legalHistory(rest, before);
  const { at } = db.prepare("select max(at) as at from journal where session = ?").get(session.id) as unknown as {
    readonly at: number | null;
  };
  db.prepare("delete from message where session = ? and seq >= ?").run(session.id, kept);
  db.prepare("delete from turn where session = ? and first >= ?").run(session.id, from);
  db.prepare("update turn set last = null where session = ? and last >= ?").run(session.id, from);
  db.prepare("delete from charge where session = ? and journal >= ?").run(session.id, from);
  db.prepare("delete from journal where session = ? and id >= ?").run(session.id, from);
  noteAgain(db, session.id);
  if (messages.length > 0) {
    const entry = entryOf([{ type: "history-imported", seq: kept, messages }], undefined);
    insertEntry(inserts, session, { entry, atMs: at ?? Date.now() });
  }
  return messages.length;
}

/** 0 where it is not known. */
function firstRowOf(db: DatabaseSync, session: number, turnId: string): number {
  const row = db.prepare("select min(first) as first from turn where session = ? and name = ?").get(session, turnId);
  return Number(row?.["first"] ?? 0);
}

/** What a session shares with another one stays shared as long as that has it. */
function beginningOf(db: DatabaseSync, { id, parent, shared }: Session): number {
  if (parent === null || shared === null) return 0;
  const forked = db.prepare("select facts from journal where session = ? order by id limit 1").get(id)?.["facts"];
  const has = lengthOf(db, parent) >= shared;
  if (has && !String(forked).includes('"session-forked"')) return shared;
  db.prepare("update session set parent = null, shared = null where id = ?").run(id);
  return 0;
}

function lengthOf(db: DatabaseSync, session: number): number {
  const found = db
    .prepare(
      "select max(seq) + 1 as own, (select shared from session where id = ?1) as shared from message where session = ?1",
    )
    .get(session);
  return Math.max(Number(found?.["own"] ?? 0), Number(found?.["shared"] ?? 0));
}

/** The place behind all that facts before a row speak of. */
function placesBefore(db: DatabaseSync, session: number, row: number): number {
  let behind = 0;
  for (const { facts } of db.prepare("select facts from journal where session = ? and id < ?").iterate(session, row))
    for (const { seq, count = 1, type } of JSON.parse(String(facts)) as Told[])
      if (seq !== undefined) behind = Math.max(behind, seq + (type === "history-imported" ? count : 1));
  return behind;
}

const rowsOf = (db: DatabaseSync, session: number, from: number, to: number): readonly MessageRow[] =>
  db
    .prepare("select seq, part, body from message where session = ? and seq between ? and ? order by seq, part")
    .all(session, from, to) as unknown as MessageRow[];

/** Messages that can be read and say something; what came to one that is lost goes with it. */
function restOf(db: DatabaseSync, session: number, from: number): Message[] {
  const rows = rowsOf(db, session, from, Number.MAX_SAFE_INTEGER);
  return [...Map.groupBy(rows, ({ seq }) => seq).values()].flatMap((group) => {
    const message = foldedOf(group);
    return message === undefined || message.parts.length === 0 ? [] : [message];
  });
}

function foldedOf(group: readonly MessageRow[]): Message | undefined {
  const whole = group.map((row) => ({ ...row, seq: 0 }));
  try {
    return historyOf(whole)[0];
  } catch {
    const [first] = whole;
    return first?.part === 0 ? historyOf([first])[0] : undefined;
  }
}

function messagesBefore(db: DatabaseSync, { id, parent }: Session, to: number): (Message | undefined)[] {
  const shared = parent === null ? [] : rowsOf(db, parent, 0, to - 1);
  return historyOf([
    ...shared.filter(({ part }) => part === 0),
    ...rowsOf(db, id, 0, to - 1).filter(({ part }) => part === 0),
  ]);
}
