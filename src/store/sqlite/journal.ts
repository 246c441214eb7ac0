import { closeSync, fdatasync, fdatasyncSync, fstatSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreError } from "../../protocol/store.ts";
import { closeDatabase, type Database } from "./database.ts";
import { DamageError, faultError, isBusy, storeError } from "./errors.ts";

/** Something to write in the next transaction. Counters are facts. */
export interface Job {
  readonly committed: number;
  /** Something committed waits to be on disk, not only in the log of a living system. */
  readonly wantsSync: boolean;
  write(): void;
  onCommitted(): void;
  onSynced(upTo: number): void;
  fail(error: StoreError): void;
}

export interface JournalOptions {
  /** Ends a tick; a test makes it late. */
  readonly defer: (flush: () => void) => void;
  /** How long to wait for the lock of another process, in ms. */
  readonly patienceMs: number;
}

interface Waiting {
  readonly job: Job;
  readonly upTo: number;
}

const RETRY_MS = 5;

/** One connection, one transaction per tick for all sessions; syncing happens beside the event loop, once per group. */
export class Journal {
  readonly db: DatabaseSync;
  readonly path: string;
  private readonly wal: number | undefined;
  private readonly options: JournalOptions;
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private dirty: Job[] = [];
  private scheduled = false;
  private closed = false;
  private busySince: number | undefined;
  private readonly unsynced = new Set<Job>();
  private syncing: readonly Waiting[] | undefined;
  /** After a failed sync the kernel may have dropped what it could not write: no later sync proves anything. */
  private broken: StoreError | undefined;
  private readonly leave: () => void;

  constructor({ db, path, wal, refusal, leave = () => {} }: Database, options: JournalOptions) {
    this.broken = refusal;
    this.leave = leave;
    this.db = db;
    this.path = path;
    this.wal = wal;
    this.options = options;
    this.begin = db.prepare("begin immediate");
    this.commit = db.prepare("commit");
  }

  schedule(job: Job): void {
    const refused = this.closed ? faultError("io", this.path, new Error("it is closed")) : this.broken;
    if (refused !== undefined) {
      job.fail(refused);
      return;
    }
    this.dirty.push(job);
    if (this.scheduled) return;
    this.scheduled = true;
    this.options.defer(this.flush);
  }

  /** Runs `work` in the transaction of the tick, in order with everything scheduled before. */
  transact<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: { readonly value: T } | undefined;
      this.schedule({
        committed: 0,
        wantsSync: false,
        write: () => (result = { value: work() }),
        onCommitted: () => result !== undefined && resolve(result.value),
        onSynced: () => {},
        fail: reject,
      });
    });
  }

  private readonly flush = (): void => {
    if (this.closed) return;
    this.scheduled = false;
    const batch = this.dirty;
    this.dirty = [];
    if (batch.length > 0) this.commitAll(batch);
  };

  /** Who comes next would begin another log, and neither would know of what the other one saves. */
  private refuseRemovedLog(): void {
    if (this.wal === undefined || fstatSync(this.wal).nlink > 0) return;
    this.broken = storeError(new DamageError("removed"), this.path);
    throw this.broken;
  }

  private commitAll(batch: readonly Job[]): void {
    try {
      this.refuseRemovedLog();
      this.begin.run();
      for (const job of batch) job.write();
      this.commit.run();
    } catch (error) {
      this.onError(error, batch);
      return;
    }
    this.busySince = undefined;
    for (const job of batch) {
      job.onCommitted();
      if (job.wantsSync) this.unsynced.add(job);
    }
    if (!this.closed && this.unsynced.size > 0) this.sync();
  }

  private onError(error: unknown, batch: readonly Job[]): void {
    if (this.db.isTransaction) this.db.exec("rollback");
    if (isBusy(error)) {
      this.onBusy(error, batch);
      return;
    }
    // A fault must hit only the session it belongs to.
    const [only, ...others] = batch;
    if (others.length === 0) only?.fail(storeError(error, this.path));
    else for (const job of batch) this.commitAll([job]);
  }

  private onBusy(error: unknown, batch: readonly Job[]): void {
    const now = performance.now();
    this.busySince ??= now;
    if (this.closed || now - this.busySince >= this.options.patienceMs) {
      this.busySince = undefined;
      for (const job of batch) job.fail(storeError(error, this.path));
      return;
    }
    this.dirty = [...batch, ...this.dirty];
    if (!this.scheduled) setTimeout(this.flush, RETRY_MS);
    this.scheduled = true;
  }

  /** A sync of the log makes every commit before it durable, of all sessions. */
  private sync(): void {
    if (this.syncing !== undefined) return;
    const batch = this.takeUnsynced();
    if (this.wal === undefined) {
      this.settle(batch, undefined);
      return;
    }
    this.syncing = batch;
    fdatasync(this.wal, (error) => {
      this.syncing = undefined;
      if (this.closed) {
        if (this.wal !== undefined) closeSync(this.wal);
        return;
      }
      this.settle(batch, error);
      if (this.unsynced.size > 0) this.sync();
    });
  }

  private takeUnsynced(): readonly Waiting[] {
    const batch = [...this.unsynced].map((job) => ({ job, upTo: job.committed }));
    this.unsynced.clear();
    return batch;
  }

  private settle(batch: readonly Waiting[], error: unknown): void {
    if (error) this.broken = storeError(error, this.path);
    for (const { job, upTo } of batch) {
      if (this.broken === undefined) job.onSynced(upTo);
      else job.fail(this.broken);
    }
  }

  /** Commits and syncs what was scheduled, waiting in place for a lock if it must, then lets go of the file. */
  close(): void {
    if (this.closed) return;
    this.db.exec(`pragma busy_timeout = ${this.options.patienceMs}`);
    const batch = this.dirty;
    this.dirty = [];
    this.closed = true;
    if (batch.length > 0) this.commitAll(batch);
    const inFlight = this.syncing ?? [];
    const waiting = [...inFlight, ...this.takeUnsynced()];
    if (waiting.length > 0) this.settle(waiting, this.wal === undefined ? undefined : syncNow(this.wal));
    closeDatabase({ db: this.db, wal: this.wal }, this.syncing !== undefined);
    this.leave();
  }
}

function syncNow(wal: number): unknown {
  try {
    fdatasyncSync(wal);
    return undefined;
  } catch (error) {
    return error;
  }
}
