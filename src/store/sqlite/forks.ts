import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Fact, SessionForked } from "../../protocol/fact.ts";
import { mendHistory, placeToLeave } from "../../protocol/history.ts";
import type { Message } from "../../protocol/message.ts";
import type { Compaction } from "../../protocol/projection/compaction.ts";
import type { Fork, ForkPlace, TimedFact } from "../../protocol/store.ts";
import type { Journal } from "./journal.ts";
import type { Reading, SessionEnd } from "./reading.ts";
import { entryOf, historyOf } from "./rows.ts";
import { journalSum, type KeptColumns, messageSum, requestIn, soundRows } from "./sums.ts";
import { type Inserts, insertEntry } from "./writer.ts";

interface ForkPorts {
  readonly journal: Journal;
  readonly reading: Reading;
  readonly inserts: Inserts;
}

/** It speaks under the same nonce and with the same prompt, so that what is shared has the same bytes. */
const MAKE = `insert into session(key, epoch, owner, expires, created, title, named, parent, shared, nonce, prompt)
  select ?1, abs(random() % 1000000000), null, 0, ?2, ?3, ?4, id, ?6, nonce, prompt from session where id = ?5
  returning id, epoch`;

/** What a session that comes from elsewhere can share with one that stands here. */
interface Shares {
  readonly parent: number;
  readonly count: number;
  /** The fact that says what is shared. */
  readonly as: Fact;
}

interface First extends KeptColumns {
  readonly id: number;
  readonly at: number;
  readonly facts: string;
}

/** Sessions that leave others at a place; those who share a beginning keep it once. */
export class Forks {
  private readonly ports: ForkPorts;
  private readonly db: DatabaseSync;
  private readonly seen: StatementSync;
  private readonly make: StatementSync;
  private readonly titled: StatementSync;
  private readonly compacted: StatementSync;
  private readonly parent: StatementSync;

  constructor(ports: ForkPorts) {
    this.ports = ports;
    this.db = ports.journal.db;
    this.seen = this.db.prepare("select title from session where key = ? and purpose is null");
    this.make = this.db.prepare(MAKE);
    this.titled = this.db.prepare("select title from session where substr(title, 1, length(?1)) = ?1");
    this.compacted = this.db.prepare(
      `select facts from journal where session = ?
        and (facts like '%"type":"history-compacted"%' or facts like '%"type":"session-forked"%') order by id desc`,
    );
    this.parent = this.db.prepare("select parent, shared from session where id = ?");
  }

  /** Undefined when there is no such session to be seen. */
  fork(sessionId: string, place: ForkPlace): Promise<Fork | undefined> {
    return this.ports.journal.transact(() => this.begin(sessionId, place));
  }

  private begin(sessionId: string, { from, at: asked, title }: ForkPlace): Fork | undefined {
    const seen = this.seen.get(from) as { readonly title: string | null } | undefined;
    const end = seen && this.ports.reading.endOf(from);
    if (seen === undefined || end === undefined) return undefined;
    const at = this.placeIn(end, asked);
    // What shares nothing is called by its own first words.
    const called = title ?? (at === 0 ? null : this.numbered(seen.title));
    const named = title === undefined ? null : 1;
    const made = this.make.get(sessionId, Date.now(), called, named, end.id, at);
    const compaction = this.compactionAt(end, at);
    const fact: SessionForked = {
      type: "session-forked",
      from,
      at,
      ...(compaction !== undefined && { compaction }),
      ...(end.learnt !== undefined && { learnt: end.learnt }),
    };
    const lease = { id: Number(made?.["id"]), epoch: Number(made?.["epoch"]) };
    insertEntry(this.ports.inserts, lease, { entry: entryOf([fact], undefined), atMs: Date.now() });
    return { sessionId, from, at, title: called ?? "" };
  }

  private placeIn({ id, messages }: SessionEnd, asked: number = messages): number {
    const at = Math.max(0, Math.min(Math.floor(asked), messages));
    return placeToLeave(at, (seq) => (seq < messages ? this.ports.reading.messageAt(id, seq)?.role : undefined));
  }

  /** "Title #2", or the next number that is free. */
  private numbered(title: string | null): string | null {
    if (title === null || title === "") return null;
    const base = title.replace(/ #\d+$/u, "");
    const taken = new Set(this.titled.all(`${base} #`).map((row) => row["title"]));
    for (let number = 2; ; number++) if (!taken.has(`${base} #${number}`)) return `${base} #${number}`;
  }

  /** What was left out when no more than so many messages were there. */
  private compactionAt({ id, compaction }: Pick<SessionEnd, "id" | "compaction">, at: number): Compaction | undefined {
    if (compaction !== undefined && compaction.through <= at) return compaction;
    for (const row of this.compacted.iterate(id))
      for (const fact of (JSON.parse(String(row["facts"])) as Fact[]).toReversed()) {
        const found = fact.type === "history-compacted" || fact.type === "session-forked" ? fact.compaction : undefined;
        if (found !== undefined && found.through <= at) return found;
      }
    const { parent, shared } = this.parentOf(id);
    return parent === null || shared === null
      ? undefined
      : this.compactionAt({ id: parent, compaction: undefined }, Math.min(at, shared));
  }

  private parentOf(id: number): { readonly parent: number | null; readonly shared: number | null } {
    return this.parent.get(id) as { readonly parent: number | null; readonly shared: number | null };
  }

  /** Of the facts of a session that is taken in; undefined: nothing. */
  sharesOf([first, second]: readonly TimedFact[]): Shares | undefined {
    const [forked, told] = [first?.fact, second?.fact];
    if (forked?.type !== "session-forked" || told?.type !== "history-imported" || told.seq !== 0) return undefined;
    const end = this.seen.get(forked.from) && this.ports.reading.endOf(forked.from);
    const { length } = told.messages;
    if (end === undefined || end.messages < length) return undefined;
    return this.beginsWith(forked.from, told.messages) ? { parent: end.id, count: length, as: told } : undefined;
  }

  private beginsWith(sessionId: string, messages: readonly Message[]): boolean {
    const there = this.ports.reading.history(sessionId) ?? [];
    return messages.every((message, seq) => JSON.stringify(message) === JSON.stringify(there[seq]));
  }

  /**
   * Inside a transaction, before a session goes: the fork that shares most of it takes what is shared for its own, and the
   * others share it with that one from here on. It needs no lease: nothing that is said in any of them changes.
   */
  bequeath(id: number): void {
    const forks = this.db
      .prepare("select id, shared from session where parent = ? and purpose is null order by shared desc, id")
      .all(id) as unknown as { readonly id: number; readonly shared: number }[];
    const [heir, ...others] = forks;
    if (heir === undefined) return;
    const { parent, shared } = this.parentOf(id);
    const before = Math.min(shared ?? 0, heir.shared);
    if (heir.shared > before) this.copy(id, heir, before);
    this.db
      .prepare("update session set parent = ?2, shared = ?3 where id = ?1")
      .run(heir.id, parent, parent === null ? null : before);
    const follow = this.db.prepare("update session set parent = ?2 where id = ?1");
    for (const other of others) follow.run(other.id, heir.id);
  }

  /** The messages from `from` on that the heir shares, each whole: what came to it later stands in it. */
  private copy(id: number, heir: { readonly id: number; readonly shared: number }, from: number): void {
    const rows = this.db
      .prepare("select seq, part, body, sum from message where session = ? and seq between ? and ? order by seq, part")
      .all(id, from, heir.shared - 1);
    const messages = mendHistory(sized(historyOf(soundRows(id, rows)), heir.shared).slice(from)).slice(
      0,
      heir.shared - from,
    );
    const insert = this.ports.inserts.message;
    messages.forEach((message, index) => {
      const row = { seq: from + index, part: 0, body: JSON.stringify(message) };
      insert.run(heir.id, row.seq, row.part, row.body, messageSum(heir.id, row));
    });
    // Where it left the other one is where it has them from; facts of turns that run stay together.
    const first = this.db
      .prepare("select id, at, facts, opening, added, tail from journal where session = ? order by id limit 1")
      .get(heir.id) as unknown as First;
    const imported = { type: "history-imported", seq: from, count: messages.length };
    const facts = JSON.stringify([...(JSON.parse(first.facts) as unknown[]), imported]);
    this.db
      .prepare("update journal set facts = ?2, sum = ?3 where id = ?1")
      .run(first.id, facts, journalSum(heir.id, { at: first.at, facts }, requestIn(first)));
  }
}

/** As many as there are to be, also where a damaged store has lost the last of them. */
function sized(history: readonly (Message | undefined)[], length: number): (Message | undefined)[] {
  return Array.from({ length }, (_, seq) => history[seq]);
}
