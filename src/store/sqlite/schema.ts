import type { DatabaseSync } from "node:sqlite";
import { faultError } from "./errors.ts";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.ts";

/** The search index: all of it follows from the messages. */
export const SEARCH_TABLES = `
create virtual table words using fts5(text, content='', prefix='1 2', tokenize='unicode61 remove_diacritics 2');
create virtual table signs using fts5(text, content='', columnsize=0, detail=none, tokenize='ascii');
insert into words(words, rank) values('automerge', 0);
insert into signs(signs, rank) values('automerge', 0);
`;

/**
 * The newest format whole, for a store that is made new: it takes a third of the time of all migrations, and a test holds it
 * to what they come to. What each table and column is stands where it came (migrations.ts).
 */
const NEWEST = `
pragma application_id = ${APPLICATION_ID};
create table session(id integer primary key, key text not null unique, epoch integer not null, owner text,
  expires integer not null, created integer not null, title text, compaction text, nonce text, parent integer,
  shared integer, purpose text, learnt text, prompt text, strikes integer, named integer,
  pinned integer);
create table message(id integer primary key, session integer not null, seq integer not null, part integer not null,
  body text not null, sum integer);
create unique index message_place on message(session, seq, part);
create table journal(id integer primary key, session integer not null, at integer not null, facts text not null,
  opening blob, added blob, tail text, sum integer, kit blob, gauge text);
create index journal_session on journal(session);
create table turn(id integer primary key, session integer not null, name text not null, first integer not null,
  last integer, key text);
create index turn_session on turn(session);
create index turn_name on turn(name);
create unique index turn_key on turn(key) where key is not null;
create table opening(id integer primary key, hash blob not null unique, body blob not null);
create table charge(session integer not null, turn text not null, journal integer not null);
create index charge_turn on charge(session, turn);
create table search_progress(indexed integer not null);
insert into search_progress values(0);
${SEARCH_TABLES}`;

function pragma(db: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(db.prepare(`pragma ${name}`).get()?.[name]);
}

export const formatOf = (db: DatabaseSync): number => pragma(db, "user_version");

/** Throws `corrupt` for a database of another program and `newer` for a format this program does not know. */
export function checkFormat(db: DatabaseSync, path: string, known: number): number {
  const format = formatOf(db);
  const foreign =
    format === 0
      ? db.prepare("select 1 from sqlite_schema limit 1").get() !== undefined
      : pragma(db, "application_id") !== APPLICATION_ID;
  if (foreign || format < 0) throw faultError("corrupt", path);
  if (format > known) throw faultError("newer", path);
  return format;
}

/**
 * Brings the store to the newest format, under the write lock and in one transaction: whole or not at all.
 * An upgrade also ends every lease, so that a process of the older version that still has the store open is fenced off.
 */
export function migrate(db: DatabaseSync, path: string, migrations: readonly string[] = MIGRATIONS): void {
  if (checkFormat(db, path, migrations.length) === migrations.length) return;
  db.exec("begin exclusive");
  try {
    const from = checkFormat(db, path, migrations.length); // another process may have been faster
    if (from === 0 && migrations === MIGRATIONS) db.exec(NEWEST);
    else for (const migration of migrations.slice(from)) db.exec(migration);
    if (from > 0) db.exec("update session set epoch = epoch + 1, owner = null");
    db.exec(`pragma user_version = ${migrations.length}; commit`);
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}
