/** Marks the file as ours in its header ("EvNd"). */
export const APPLICATION_ID = 0x45764e64;

/**
 * session: `owner` and `expires` are the lease, `epoch` its fencing number.
 * message: one row per message by its place; a steer that came to it later is a row of its own with `part` >= 1.
 * journal: one row per session and commit: the facts of that tick as a JSON array, without message content.
 * turn: `first` and `last` are journal rows; `last` is null until the turn has ended.
 * words, trigrams: the search index, derived from `message` up to row `search_progress.indexed`; it keeps no text (SIGNS).
 * It is merged in small bounded steps of our own (search.ts), never by chance in the middle of an insert.
 */
const FIRST = `
pragma application_id = ${APPLICATION_ID};
create table session(id integer primary key, key text not null unique, epoch integer not null, owner text,
  expires integer not null, created integer not null, title text);
create table message(id integer primary key, session integer not null, seq integer not null, part integer not null,
  body text not null);
create unique index message_place on message(session, seq, part);
create table journal(id integer primary key, session integer not null, at integer not null, facts text not null);
create index journal_session on journal(session);
create table turn(id integer primary key, session integer not null, name text not null, first integer not null,
  last integer);
create index turn_session on turn(session);
create index turn_name on turn(name);
create table search_progress(indexed integer not null);
insert into search_progress values(0);
create virtual table words using fts5(text, content='', tokenize='unicode61 remove_diacritics 2');
create virtual table trigrams using fts5(text, content='', columnsize=0, detail=none, tokenize='trigram');
insert into words(words, rank) values('automerge', 0);
insert into trigrams(trigrams, rank) values('automerge', 0);
`;

/**
 * request: one row for each attempt, under the number of its journal row; it has moved there since (RECORDS).
 * opening: the first piece of a head, once for all who send it; `hash` is its SHA-256.
 * session.compaction: the newest one of the session, as JSON; null: all of the history is sent.
 */
const SECOND = `
create table opening(id integer primary key, hash blob not null unique, body blob not null);
create table request(id integer primary key, turn integer not null, attempt integer not null, base integer,
  opening integer, body blob not null, tail text not null);
alter table session add column compaction text;
`;

/** session.nonce: the code of the marker under which a receipt carries the user's word. */
const NONCE = `
alter table session add column nonce text;
update session set nonce = lower(hex(randomblob(6)));
`;

/**
 * session.parent: the session this one was made for; it begins with the first `shared` messages of that one, which it
 * does not keep a second time. session.purpose: what it was made for; such a session is not listed, found or taken for the last.
 */
const CHILDREN = `
alter table session add column parent integer;
alter table session add column shared integer;
alter table session add column purpose text;
`;

/** turn.key: the idempotency key it was asked for with. */
const KEYS = `
alter table turn add column key text;
create unique index turn_key on turn(key) where key is not null;
`;

/**
 * journal, where a request left behind the row's commit: its head is the `opening` with this hash, or else (null) the head of
 * the session's request before it, with `added` behind it; `tail` stood behind the head.
 */
const RECORDS = `
alter table journal add column opening blob;
alter table journal add column added blob;
alter table journal add column tail text;
update journal set (opening, added, tail) = (
    select hash, request.body, tail from request left join opening on opening.id = request.opening where request.id = journal.id)
  where id in (select id from request);
drop table request;
`;

/** session.learnt: what its models were found not to take, as JSON; null: nothing. */
const LEARNT = "alter table session add column learnt text";

/**
 * session.prompt: its system prompt, byte for byte; null: none was kept. session.strikes: how many compactions in a row
 * have not helped; null: none.
 */
const CONTEXT = `
alter table session add column prompt text;
alter table session add column strikes integer;
`;

/** session.named: somebody has given it a title (1); null: it is called by its first words. */
const TITLES = `
alter table session add column named integer;
update session set named = 1 where title is not null;
`;

/** charge: the journal row that holds what was done on the account of a turn, by its name, when that had ended. */
const CHARGES = `
create table charge(session integer not null, turn text not null, journal integer not null);
create index charge_turn on charge(session, turn);
`;

/**
 * words: also knows the first one and two letters of each word. signs: of scripts without spaces each character and each
 * two side by side, once for a text (decision 0045). Both are filled anew.
 */
const SIGNS = `
drop table words;
drop table trigrams;
create virtual table words using fts5(text, content='', prefix='1 2', tokenize='unicode61 remove_diacritics 2');
create virtual table signs using fts5(text, content='', columnsize=0, detail=none, tokenize='ascii');
insert into words(words, rank) values('automerge', 0);
insert into signs(signs, rank) values('automerge', 0);
update search_progress set indexed = 0;
`;

/** session.pinned: its owner wants it kept (1): no pruning removes it. */
const PINS = "alter table session add column pinned integer";

/**
 * message.sum, journal.sum: a checksum of the row (sums.ts), so that a byte that fell over on the disk is told and not
 * read; null in rows that are older. SQLite itself keeps none.
 */
const SUMS = `
alter table message add column sum integer;
alter table journal add column sum integer;
`;

/**
 * journal.kit: the hash of the `opening` that says what a turn runs under from this row on, where a process began it or took
 * it up; journal.gauge: what that process knew of the weight of requests, as JSON; null: nothing.
 */
const KITS = `
alter table journal add column kit blob;
alter table journal add column gauge text;
`;

/** Entry n brings a store from format n to n + 1. Append only: an entry that was released never changes. */
export const MIGRATIONS: readonly string[] = [
  FIRST,
  SECOND,
  NONCE,
  CHILDREN,
  KEYS,
  RECORDS,
  LEARNT,
  CONTEXT,
  TITLES,
  CHARGES,
  SIGNS,
  PINS,
  SUMS,
  KITS,
];
