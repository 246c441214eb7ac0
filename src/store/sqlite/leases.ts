import type { StatementSync } from "node:sqlite";
import { type ChildOf, StoreError, type StoredSession } from "../../protocol/store.ts";
import { faultError, withStoreErrors } from "./errors.ts";
import { isDead, LEASE_MS, newOwner } from "./lease-holder.ts";
import type { SessionContent } from "./reading.ts";
import { newestAnswer } from "./rows.ts";
import { MIGRATIONS } from "./migrations.ts";
import { formatOf } from "./schema.ts";
import { type Lease, SessionWriter, type WriterPorts } from "./writer.ts";

/**
 * A new session begins with an epoch of chance: its row may have the number of one that was removed, whose writer must
 * not be taken for its own.
 */
const ACQUIRE = `insert into session(key, epoch, owner, expires, created, nonce)
  values(?1, abs(random() % 1000000000), ?2, ?3, ?4, lower(hex(randomblob(6))))
  on conflict(key) do update set epoch = epoch + 1, owner = ?2, expires = ?3
    where owner is null or owner = ?2 or owner = ?5 or not expires between ?6 and ?6 + ${LEASE_MS}
  returning id, epoch, nonce`;

/** A child speaks under its parent's nonce and with its prompt, so that what they share has the same bytes. */
const ADOPT = `update session set parent = ?2, shared = ?3, purpose = ?4, compaction = ?5, learnt = ?6,
    (nonce, prompt) = (select nonce, prompt from session where id = ?2)
  where id = ?1 returning nonce`;

const kept = (note: object | undefined): string | null => (note === undefined ? null : JSON.stringify(note));

interface Row {
  readonly id: number;
  readonly epoch: number;
  readonly nonce: string;
}

/** A lease with what the session was given when it was created. */
export interface Taken {
  readonly lease: Lease;
  readonly nonce: string;
}

/**
 * Leases. One writer per session: another store, in this process or any other, gets `busy` while this one lives.
 * The store that holds a lease may open the session again: a lane that was dropped needs no ceremony, and whatever
 * the earlier writer still appends is refused with `lease_lost`.
 */
export class Leases {
  private readonly owner = newOwner();
  private readonly held = new Map<number, number>();
  private readonly acquire: StatementSync;
  private readonly adopt: StatementSync;
  private readonly place: StatementSync;
  private readonly holder: StatementSync;
  private readonly renew: StatementSync;
  private readonly giveBack: StatementSync;
  private readonly renewal: NodeJS.Timeout;
  private readonly ports: Omit<WriterPorts, "onCommit">;
  private readonly now: () => number;

  constructor(ports: Omit<WriterPorts, "onCommit">, now: () => number) {
    const { db } = ports.journal;
    this.ports = ports;
    this.now = now;
    this.acquire = db.prepare(ACQUIRE);
    this.adopt = db.prepare(ADOPT);
    this.place = db.prepare("update session set parent = ?2, purpose = ?3 where id = ?1");
    this.holder = db.prepare("select owner from session where key = ?");
    this.renew = db.prepare("update session set expires = ?3 where id = ?1 and epoch = ?2");
    this.giveBack = db.prepare("update session set owner = null where id = ?1 and epoch = ?2");
    this.renewal = setInterval(() => this.renewAll(), LEASE_MS / 3).unref();
  }

  async open(sessionId: string): Promise<StoredSession> {
    return this.opened(await this.ports.journal.transact(() => this.take(sessionId)));
  }

  async openChild(
    sessionId: string,
    { parent, purpose, compaction, history, apart }: ChildOf,
  ): Promise<StoredSession | undefined> {
    const { journal, reading } = this.ports;
    const from = withStoreErrors(journal.path, () => reading.endOf(parent));
    if (from === undefined) return undefined;
    if (apart === true)
      return this.opened(await journal.transact(() => this.takeApart(sessionId, from.id, purpose)), []);
    const taken = await journal.transact(() => {
      const child = this.take(sessionId);
      const row = this.adopt.get(
        child.lease.id,
        from.id,
        from.messages,
        purpose,
        kept(compaction === undefined ? from.compaction : (compaction ?? undefined)),
        kept(from.learnt),
      );
      return { ...child, nonce: String(row?.["nonce"]) };
    });
    const known = history !== undefined && history.length >= from.messages;
    return this.opened(taken, known ? history.slice(0, from.messages) : undefined);
  }

  private takeApart(sessionId: string, parent: number, purpose: ChildOf["purpose"]): Taken {
    const child = this.take(sessionId);
    this.place.run(child.lease.id, parent, purpose);
    return child;
  }

  /** `past`: all that a session which has just begun has of its parent. */
  private opened({ lease, nonce }: Taken, past?: SessionContent["history"]): StoredSession {
    const { journal, reading } = this.ports;
    this.held.set(lease.id, lease.epoch);
    try {
      // A damaged session fails its opener, not the transaction of all.
      const content = withStoreErrors(journal.path, () => reading.content(lease.id, past));
      return { ...this.stored(lease, content), nonce };
    } catch (error) {
      this.release(lease);
      throw error;
    }
  }

  private stored(lease: Lease, { history, shared, openTurn, ...notes }: SessionContent): Omit<StoredSession, "nonce"> {
    const answer = newestAnswer(history, shared);
    return {
      ...notes,
      sessionId: lease.sessionId,
      history: openTurn === undefined ? history : history.slice(0, openTurn.seq),
      openTurn: openTurn?.facts ?? [],
      writer: (onCommit) => new SessionWriter({ ...this.ports, onCommit }, lease, answer),
      release: () => this.release(lease),
    };
  }

  /** Inside a transaction. Throws StoreError `busy`. */
  take(sessionId: string): Taken {
    const { db, path } = this.ports.journal;
    if (formatOf(db) > MIGRATIONS.length) throw faultError("newer", path); // upgraded while we had it open
    const now = this.now();
    const attempt = (deadOwner: string): Row | undefined =>
      this.acquire.get(sessionId, this.owner, now + LEASE_MS, Date.now(), deadOwner, now) as Row | undefined;
    let row = attempt("");
    if (row === undefined) {
      const owner = String(this.holder.get(sessionId)?.["owner"]);
      if (isDead(owner)) row = attempt(owner);
      if (row === undefined) throw busy(sessionId, owner);
    }
    const { id, epoch, nonce } = row;
    return { lease: { sessionId, id, epoch }, nonce };
  }

  /** Behind all that was appended. When it fails the lease runs out by itself. */
  private release({ id, epoch }: Lease): void {
    if (this.held.get(id) !== epoch) return;
    this.held.delete(id);
    this.ports.journal.transact(() => this.giveBack.run(id, epoch)).catch(() => undefined);
  }

  /** When it fails the next one comes early enough. */
  private renewAll(): void {
    if (this.held.size === 0) return;
    const renew = (): void => {
      const expires = this.now() + LEASE_MS;
      for (const [id, epoch] of this.held) this.renew.run(id, epoch, expires);
    };
    this.ports.journal.transact(renew).catch(() => undefined);
  }

  /** Gives all leases back in the last transaction of the journal. */
  close(): void {
    clearInterval(this.renewal);
    for (const [id, epoch] of this.held) {
      this.ports.journal.transact(() => this.giveBack.run(id, epoch)).catch(() => undefined);
    }
    this.held.clear();
  }
}

function busy(sessionId: string, owner: string): StoreError {
  const [host, pid] = owner.split("/");
  return new StoreError("busy", {
    en: `Session ${sessionId} is in use by process ${pid} on ${host}; wait until it has finished, or stop it.`,
    zh: `会话 ${sessionId} 正被 ${host} 上的进程 ${pid} 使用；请等它结束，或停止它。`,
  });
}
