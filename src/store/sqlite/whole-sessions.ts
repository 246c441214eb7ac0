import type { DatabaseSync, StatementSync } from "node:sqlite";
import { mendHistory } from "../../protocol/history.ts";
import type { SessionRecord, TimedFact } from "../../protocol/store.ts";
import type { Forks } from "./forks.ts";
import type { Journal } from "./journal.ts";
import type { Leases } from "./leases.ts";
import { type Entry, entryOf, factsIn } from "./rows.ts";
import type { Reading } from "./reading.ts";
import type { SearchIndex } from "./search.ts";
import { ENTRY, type EntryRow, soundBodyAt, soundEntry } from "./sums.ts";
import { type Inserts, insertEntry } from "./writer.ts";

interface WholePorts {
  readonly journal: Journal;
  readonly leases: Leases;
  readonly index: SearchIndex;
  readonly inserts: Inserts;
  readonly forks: Forks;
  readonly reading: Reading;
}

/** A session and all that was made for it, the innermost last; its forks are sessions of their own. */
const FAMILY = `with recursive family(id, key) as (
    select id, key from session where key = ?
    union all select session.id, session.key from session join family on session.parent = family.id
      where session.purpose is not null)
  select id, key from family`;

/** One statement looks and writes: a person who names it meanwhile has the last word, in whatever process. */
const UNTITLED =
  "key = ?1 and named is null and purpose is null and exists(select 1 from journal where session = session.id)";

/** A fork that shares with its parent again speaks under the same nonce. */
const RESTORE = `insert into session(key, epoch, owner, expires, created, nonce, title, named, parent, shared)
  values(?1, abs(random() % 1000000000), null, 0, ?2,
    coalesce((select nonce from session where id = ?4), lower(hex(randomblob(6)))), ?3, 1, ?4, ?5)
  on conflict(key) do nothing returning id, epoch`;

const ERASE = [
  "delete from message where session = ?",
  "delete from journal where session = ?",
  "delete from turn where session = ?",
  "delete from charge where session = ?",
  "delete from session where id = ?",
];

/** What no request begins with any more, and no turn runs under. */
const DROP_UNUSED = `delete from opening where hash not in (
    select opening from journal where opening is not null union select kit from journal where kit is not null)`;

/** What is done with whole sessions: renamed, removed, taken out and put in. */
export class WholeSessions {
  private readonly ports: WholePorts;
  private readonly db: DatabaseSync;
  private readonly retitle: StatementSync;
  private readonly untitled: StatementSync;
  private readonly firstTitle: StatementSync;
  private readonly pinned: StatementSync;

  constructor(ports: WholePorts) {
    this.ports = ports;
    this.db = ports.journal.db;
    this.retitle = this.db.prepare(
      "update session set title = ?2, named = 1 where key = ?1 and exists(select 1 from journal where session = session.id)",
    );
    this.pinned = this.db.prepare("update session set pinned = ?2 where key = ?1 and purpose is null");
    this.untitled = this.db.prepare(`select 1 from session where ${UNTITLED}`);
    this.firstTitle = this.db.prepare(`update session set title = ?2, named = 1 where ${UNTITLED}`);
  }

  rename(sessionId: string, title: string): Promise<boolean> {
    return this.ports.journal.transact(() => this.retitle.run(sessionId, title).changes > 0);
  }

  pin(sessionId: string, pinned: boolean): Promise<boolean> {
    return this.ports.journal.transact(() => this.pinned.run(sessionId, pinned ? 1 : null).changes > 0);
  }

  isUntitled(sessionId: string): boolean {
    return this.untitled.get(sessionId) !== undefined;
  }

  entitle(sessionId: string, title: string): Promise<boolean> {
    return this.ports.journal.transact(() => this.firstTitle.run(sessionId, title).changes > 0);
  }

  /** What was there is overwritten with zeros, in the tables, in the search index and in the log. */
  async remove(sessionId: string): Promise<boolean> {
    const found = await this.ports.journal.transact(() => this.erase(sessionId));
    // Where somebody else is reading, the log is emptied by whoever comes last.
    this.db.prepare("pragma wal_checkpoint(truncate)").get();
    return found;
  }

  private erase(sessionId: string): boolean {
    const { leases, index, forks } = this.ports;
    const family = this.db.prepare(FAMILY).all(sessionId) as unknown as { readonly id: number; readonly key: string }[];
    for (const { key } of family) leases.take(key);
    for (const { id } of family) {
      forks.bequeath(id);
      index.forget(id);
      for (const statement of ERASE) this.db.prepare(statement).run(id);
    }
    this.db.exec(DROP_UNUSED);
    index.shrink();
    return family.length > 0;
  }

  /** Undefined when there is no such session. */
  record(sessionId: string): SessionRecord | undefined {
    const row = this.db
      .prepare("select id, created, title from session where key = ? and purpose is null")
      .get(sessionId) as { readonly id: number; readonly created: number; readonly title: string | null } | undefined;
    if (row === undefined) return undefined;
    const { id, created, title } = row;
    return { sessionId, title: title ?? "", createdMs: created, facts: this.factsOf(id, sessionId) };
  }

  /** What a fork shares stands behind its first fact, as taken in: so its record is whole. */
  private *factsOf(session: number, sessionId: string): Generator<TimedFact> {
    let begun = false;
    for (const timed of this.ownFacts(session)) {
      yield timed;
      const shared = begun ? [] : this.ports.reading.sharedMessages(sessionId);
      begun = true;
      if (shared.length > 0)
        yield { atMs: timed.atMs, fact: { type: "history-imported", seq: 0, messages: mendHistory(shared) } };
    }
  }

  private *ownFacts(session: number): Generator<TimedFact> {
    const body = this.db.prepare("select body, sum from message where session = ? and seq = ? and part = ?");
    const rows = this.db.prepare(`${ENTRY} where session = ? order by id`);
    for (const row of rows.iterate(session))
      yield* factsIn(soundEntry(session, row as unknown as EntryRow), (seq, part) =>
        soundBodyAt(body, session, { seq, part }),
      );
  }

  /**
   * False when there is a session of this name; then nothing is changed. A fork whose parent stands here, with the same
   * messages, shares them again.
   */
  restore({ sessionId, title, createdMs, facts }: SessionRecord): Promise<boolean> {
    const all = [...facts];
    return this.ports.journal.transact(() => {
      const shares = this.ports.forks.sharesOf(all);
      const made = this.db
        .prepare(RESTORE)
        .get(sessionId, createdMs, title || null, shares?.parent ?? null, shares?.count ?? null);
      if (made === undefined) return false;
      const lease = { id: Number(made["id"]), epoch: Number(made["epoch"]) };
      let answer: Entry["answer"];
      for (const group of groupsOf(all.filter(({ fact }) => fact !== shares?.as))) {
        const entry = entryOf(
          group.map(({ fact }) => fact),
          answer,
        );
        insertEntry(this.ports.inserts, lease, { entry, atMs: group[0]?.atMs ?? createdMs });
        answer = entry.answer;
      }
      return true;
    });
  }
}

/** Facts of one commit have one time. */
function groupsOf(facts: Iterable<TimedFact>): TimedFact[][] {
  const groups: TimedFact[][] = [];
  for (const timed of facts) {
    const group = groups.at(-1);
    if (group?.[0]?.atMs === timed.atMs) group.push(timed);
    else groups.push([timed]);
  }
  return groups;
}
