import { resolve } from "node:path";
import type { Sentence } from "../../protocol/sentence.ts";
import type { Store } from "../../protocol/store.ts";
import { audited } from "./audit.ts";
import { type Database, openDatabase } from "./database.ts";
import { eachWithStoreErrors, storeError, withStoreErrors } from "./errors.ts";
import { Forks } from "./forks.ts";
import { Journal } from "./journal.ts";
import { Reading, recentSessions } from "./reading.ts";
import { RecordedReading } from "./recorded.ts";
import { SaidReading } from "./said.ts";
import { SearchIndex } from "./search.ts";
import { SessionsFound } from "./search-sessions.ts";
import { machineMs, ownerOf } from "./lease-holder.ts";
import { Leases } from "./leases.ts";
import { turnLists } from "./turn-list.ts";
import { WholeSessions } from "./whole-sessions.ts";
import { prepareInserts } from "./writer.ts";

export interface SqliteStoreOptions {
  /** The file; it and its folder are made when missing, for this user alone. */
  readonly path: string;
  /** `four` syncs the four kinds of facts that must survive power loss (the default), `full` every commit. */
  readonly sync?: "four" | "full";
  /** When the transaction of a tick is written; `setImmediate` by default. A test makes it late. */
  readonly defer?: (flush: () => void) => void;
  /** How long another process may keep the file locked before this one gives up, in ms; 10,000 by default. */
  readonly patienceMs?: number;
  /** The same while it is being opened, in place; `patienceMs` by default. */
  readonly openingMs?: number;
  /** Called at once with what whoever opens it should be told. */
  readonly onNotice?: (notice: Sentence) => void;
  /** The clock that leases run by, see `machineMs`; a test has its own. */
  readonly leaseClock?: () => number;
}

export const PATIENCE_MS = 10_000;

/**
 * Opens or creates a store in one SQLite file. Throws StoreError, and so does every method of the store. A lock of another
 * process is waited for in place: whoever serves others meanwhile takes `openWhenFree`.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const { path, patienceMs = PATIENCE_MS, openingMs = patienceMs } = options;
  const database = openDatabase(resolve(path), openingMs);
  if (database.notice !== undefined) options.onNotice?.(database.notice);
  return storeOn(database, { ...options, patienceMs });
}

export function storeOn(database: Database, options: Omit<SqliteStoreOptions, "path">): Store {
  const { db, path } = database;
  const { sync = "four", defer = setImmediate, patienceMs = PATIENCE_MS, leaseClock = machineMs } = options;
  const journal = new Journal(database, { defer, patienceMs });
  const index = new SearchIndex(db);
  const reading = new Reading(db);
  const found = new SessionsFound(db, index);
  const onRows = (rows: number, turnEnded: boolean): void => index.noteRows(rows, turnEnded);
  const inserts = prepareInserts(db);
  const leases = new Leases({ journal, inserts, reading, syncAll: sync === "full", onRows }, leaseClock);
  const forks = new Forks({ journal, reading, inserts });
  const whole = new WholeSessions({ journal, leases, index, inserts, forks, reading });
  return {
    open: (sessionId) => leases.open(sessionId),
    openChild: (sessionId, of) => leases.openChild(sessionId, of),
    fork: (sessionId, place) => forks.fork(sessionId, place),
    reviewedThrough: (sessionId) => withStoreErrors(path, () => reading.reviewedThrough(sessionId)),
    list: () => withStoreErrors(path, () => reading.list()),
    children: (sessionId) => withStoreErrors(path, () => reading.children(sessionId)),
    history: (sessionId) => withStoreErrors(path, () => reading.history(sessionId)),
    prompt: (sessionId) => withStoreErrors(path, () => reading.prompt(sessionId)),
    lastSession: () => withStoreErrors(path, () => reading.lastSession()),
    turn: (turnId) => withStoreErrors(path, () => reading.turn(turnId)),
    ...turnLists(db, path),
    turnWithKey: (key) => withStoreErrors(path, () => reading.turnWithKey(key)),
    requests: (turnId) => eachWithStoreErrors(path, reading.requests(turnId)),
    recorded: (turnId) => withStoreErrors(path, () => new RecordedReading(db, reading).recorded(turnId)),
    openTurns: () =>
      withStoreErrors(path, () =>
        reading.openTurns().map(({ holder, ...turn }) => ({ ...turn, owner: ownerOf(holder, leaseClock()) })),
      ),
    rename: (sessionId, title) => whole.rename(sessionId, title),
    pin: (sessionId, pinned) => whole.pin(sessionId, pinned),
    isUntitled: (sessionId) => withStoreErrors(path, () => whole.isUntitled(sessionId)),
    entitle: (sessionId, title) => whole.entitle(sessionId, title),
    remove: async (sessionId) => {
      try {
        return await whole.remove(sessionId);
      } catch (error) {
        throw storeError(error, path);
      }
    },
    record: (sessionId) => {
      const record = withStoreErrors(path, () => whole.record(sessionId));
      return record && { ...record, facts: eachWithStoreErrors(path, record.facts) };
    },
    restore: (record) => whole.restore(record),
    search: (query, limit) => withStoreErrors(path, () => found.hits(query, limit)),
    searchSessions: (asked) => withStoreErrors(path, () => found.sessions(asked)),
    said: (sessionId, from, to) => withStoreErrors(path, () => new SaidReading(db).said(sessionId, from, to)),
    recent: (limit) => withStoreErrors(path, () => recentSessions(db, limit)),
    audit: (look) => withStoreErrors(path, () => audited(db, look)),
    close: () =>
      withStoreErrors(path, () => {
        index.close();
        leases.close();
        journal.close();
      }),
  };
}
