import { resolve } from "node:path";
import type { Store } from "../../protocol/store.ts";
import { type Database, openDatabase } from "./database.ts";
import { guarded } from "./errors.ts";
import { Journal } from "./journal.ts";
import { Reading } from "./reading.ts";
import { SearchIndex } from "./search.ts";
import { Sessions } from "./sessions.ts";
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
}

const PATIENCE_MS = 10_000;

/** Opens or creates a store in one SQLite file. Throws StoreError, and so does every method of the store. */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const { path, patienceMs = PATIENCE_MS } = options;
  return storeOn(openDatabase(resolve(path), patienceMs), { ...options, patienceMs });
}

export function storeOn(database: Database, options: Omit<SqliteStoreOptions, "path">): Store {
  const { db, path } = database;
  const { sync = "four", defer = setImmediate, patienceMs = PATIENCE_MS } = options;
  const journal = new Journal(database, { defer, patienceMs });
  const index = new SearchIndex(db);
  const reading = new Reading(db);
  const onRows = (rows: number, turnEnded: boolean): void => index.noteRows(rows, turnEnded);
  const sessions = new Sessions({ journal, inserts: prepareInserts(db), syncAll: sync === "full", onRows }, reading);
  return {
    open: (sessionId) => sessions.open(sessionId),
    list: () => guarded(path, () => reading.list()),
    history: (sessionId) => guarded(path, () => reading.history(sessionId)),
    lastSession: () => guarded(path, () => reading.lastSession()),
    turn: (turnId) => guarded(path, () => reading.turn(turnId)),
    search: (query, limit) => guarded(path, () => index.search(query, limit)),
    close: () =>
      guarded(path, () => {
        index.close();
        sessions.close();
        journal.close();
      }),
  };
}
