import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Fact, mustSync } from "../../protocol/fact.ts";
import type { RequestRecord } from "../../protocol/ports.ts";
import type { KitText } from "../../protocol/replay.ts";
import { type OnCommit, StoreError, type Writer } from "../../protocol/store.ts";
import type { Job, Journal } from "./journal.ts";
import { hashOfKit, type KitColumns } from "./kits.ts";
import type { Reading } from "./reading.ts";
import { type Keeping, keepingOf, type RequestColumns } from "./requests.ts";
import { type Answer, type Entry, entryOf } from "./rows.ts";
import { journalSum, messageSum } from "./sums.ts";

export interface Inserts {
  readonly entry: StatementSync;
  readonly message: StatementSync;
  readonly turnStart: StatementSync;
  readonly turnEnd: StatementSync;
  readonly charge: StatementSync;
  readonly title: StatementSync;
  readonly compaction: StatementSync;
  readonly learnt: StatementSync;
  readonly strikes: StatementSync;
  readonly prompt: StatementSync;
  readonly opening: StatementSync;
}

export const prepareInserts = (db: DatabaseSync): Inserts => ({
  entry: db.prepare(
    `insert into journal(session, at, facts, opening, added, tail, sum, kit, gauge)
      select ?1, ?2, ?3, ?5, ?6, ?7, ?8, ?9, ?10
      where exists(select 1 from session where id = ?1 and epoch = ?4)`,
  ),
  message: db.prepare("insert into message(session, seq, part, body, sum) values(?, ?, ?, ?, ?)"),
  turnStart: db.prepare("insert into turn(session, name, first, key) values(?, ?, ?, ?)"),
  turnEnd: db.prepare("update turn set last = ?2 where id = (select max(id) from turn where session = ?1)"),
  charge: db.prepare("insert into charge(session, turn, journal) values(?, ?, ?)"),
  title: db.prepare("update session set title = ?2 where id = ?1 and title is null"),
  compaction: db.prepare("update session set compaction = ?2 where id = ?1"),
  learnt: db.prepare("update session set learnt = ?2 where id = ?1"),
  strikes: db.prepare("update session set strikes = ?2 where id = ?1"),
  prompt: db.prepare("update session set prompt = ?2 where id = ?1"),
  opening: db.prepare("insert or ignore into opening(hash, body) values(?, ?)"),
});

interface Addition {
  readonly entry: Entry;
  readonly atMs: number;
  /** Of the request that left behind it. */
  readonly columns?: RequestColumns | undefined;
  /** Of the turn that begins or goes on with it. */
  readonly kit?: KitColumns | undefined;
}

const NO_REQUEST = { opening: null, added: null, tail: null };
const NO_KIT = { hash: null, gauge: null };

/**
 * Writes what one session adds. The epoch guards the journal row, and that row guards all others: false when the lease
 * was lost, and then nothing is written.
 */
export function insertEntry(
  inserts: Inserts,
  { id, epoch }: Pick<Lease, "id" | "epoch">,
  { entry, atMs, columns, kit }: Addition,
): boolean {
  const { facts, messages, turns, charged } = entry;
  const { opening, added, tail } = columns ?? NO_REQUEST;
  const sum = journalSum(id, { at: atMs, facts }, columns);
  const { hash, gauge } = kit ?? NO_KIT;
  const row = inserts.entry.run(id, atMs, facts, epoch, opening, added, tail, sum, hash, gauge);
  if (row.changes === 0) return false;
  for (const message of messages) {
    const { seq, part, body } = message;
    inserts.message.run(id, seq, part, body, messageSum(id, message));
  }
  for (const turn of turns) {
    if (turn === null) inserts.turnEnd.run(id, row.lastInsertRowid);
    else inserts.turnStart.run(id, turn.turnId, row.lastInsertRowid, turn.idempotencyKey ?? null);
  }
  for (const turn of charged) inserts.charge.run(id, turn, row.lastInsertRowid);
  insertNotes(inserts, id, entry);
  return true;
}

/** What a session keeps of itself beside its journal. */
function insertNotes(inserts: Inserts, id: number, { title, compaction, learnt, strikes }: Entry): void {
  if (title) inserts.title.run(id, title);
  if (compaction !== undefined) inserts.compaction.run(id, JSON.stringify(compaction));
  if (learnt !== undefined) inserts.learnt.run(id, JSON.stringify(learnt));
  if (strikes !== undefined) inserts.strikes.run(id, strikes);
}

/** What a writer knows of its session when it starts. */
export interface Lease {
  readonly sessionId: string;
  readonly id: number;
  readonly epoch: number;
}

export interface WriterPorts {
  readonly journal: Journal;
  readonly inserts: Inserts;
  readonly reading: Reading;
  readonly syncAll: boolean;
  readonly onCommit: OnCommit;
  /** Called after a commit with the message rows it added and whether a turn ended in it. */
  readonly onRows: (rows: number, turnEnded: boolean) => void;
}

interface KitKept extends KitColumns {
  readonly text: string;
}

interface Waiter {
  readonly committed: number;
  readonly synced: number;
  resolve(): void;
  reject(error: StoreError): void;
}

const DONE = Promise.resolve();

/** One session's place in the journal. Counters are facts recorded, committed, synced. */
export class SessionWriter implements Writer, Job {
  committed = 0;
  private readonly ports: WriterPorts;
  private readonly lease: Lease;
  private queue: Fact[] = [];
  private leaving: RequestRecord | undefined;
  private prompt: string | undefined;
  private kit: KitKept | undefined;
  private waiters: Waiter[] = [];
  private recorded = 0;
  private mustSyncTo = 0;
  private synced = 0;
  private error: StoreError | undefined;
  private answer: Answer | undefined;
  /** What the open transaction holds, or nothing when the lease was lost. */
  private written: Entry | undefined;

  constructor(ports: WriterPorts, lease: Lease, answer: Answer | undefined) {
    this.ports = ports;
    this.lease = lease;
    this.answer = answer;
  }

  append(fact: Fact): void {
    if (this.error !== undefined) return;
    this.recorded++;
    if (this.ports.syncAll || mustSync(fact)) this.mustSyncTo = this.recorded;
    if (this.queue.push(fact) === 1) this.ports.journal.schedule(this);
  }

  keepRequest(request: RequestRecord): void {
    if (this.error === undefined) this.leaving = request;
  }

  keepPrompt(text: string): void {
    if (this.error === undefined) this.prompt = text;
  }

  keepKit(kit: KitText, gauge?: string): void {
    if (this.error === undefined) this.kit = { hash: hashOfKit(kit), gauge: gauge ?? null, text: kit.text };
  }

  get wantsSync(): boolean {
    return this.error === undefined && this.mustSyncTo > this.synced;
  }

  write(): void {
    this.written = undefined;
    if (this.error !== undefined) return;
    const { inserts } = this.ports;
    const entry = entryOf(this.queue, this.answer);
    const keeping = this.keeping();
    const atMs = Date.now();
    if (!insertEntry(inserts, this.lease, { entry, atMs, columns: keeping?.columns, kit: this.kit })) return;
    if (keeping?.opening !== undefined) inserts.opening.run(keeping.columns.opening, keeping.opening);
    if (this.kit !== undefined) inserts.opening.run(this.kit.hash, Buffer.from(this.kit.text));
    if (this.prompt !== undefined) inserts.prompt.run(this.lease.id, this.prompt);
    this.written = entry;
  }

  private keeping(): Keeping | undefined {
    return this.leaving && keepingOf(this.leaving, () => this.ports.reading.kept.newestHead(this.lease.id));
  }

  onCommitted(): void {
    if (this.error !== undefined) return;
    const entry = this.written;
    if (entry === undefined) {
      this.fail(leaseLost(this.lease.sessionId));
      return;
    }
    const count = this.queue.length;
    this.queue = [];
    this.leaving = undefined;
    this.prompt = undefined;
    this.kit = undefined;
    this.committed += count;
    this.answer = entry.answer;
    this.ports.onCommit(count);
    this.settle();
    this.ports.onRows(entry.messages.length, entry.turns.includes(null));
  }

  onSynced(upTo: number): void {
    this.synced = Math.max(this.synced, upTo);
    this.settle();
  }

  fail(error: StoreError): void {
    if (this.error !== undefined) return;
    this.error = error;
    this.queue = [];
    this.leaving = undefined;
    this.prompt = undefined;
    this.kit = undefined;
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) waiter.reject(error);
  }

  barrier(): Promise<void> {
    if (this.error !== undefined) return Promise.reject(this.error);
    const { recorded, mustSyncTo } = this;
    if (this.committed >= recorded && this.synced >= mustSyncTo) return DONE;
    return new Promise((resolve, reject) => {
      this.waiters.push({ committed: recorded, synced: mustSyncTo, resolve, reject });
    });
  }

  private settle(): void {
    const ready = (waiter: Waiter): boolean => this.committed >= waiter.committed && this.synced >= waiter.synced;
    if (!this.waiters.some(ready)) return;
    const waiters = this.waiters;
    this.waiters = waiters.filter((waiter) => !ready(waiter));
    for (const waiter of waiters) if (ready(waiter)) waiter.resolve();
  }
}

const leaseLost = (sessionId: string): StoreError =>
  new StoreError("lease_lost", {
    en: `Session ${sessionId} was taken over by another writer, so this one saves nothing more; open the session again.`,
    zh: `会话 ${sessionId} 已被另一个写入者接管，因此这里不再保存；请重新打开会话。`,
  });
