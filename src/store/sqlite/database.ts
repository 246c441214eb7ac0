import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Sentence } from "../../protocol/sentence.ts";
import type { StoreError } from "../../protocol/store.ts";
import { keepBeforeUpgrade } from "./before-upgrade.ts";
import { faultError, withStoreErrors, IN_MEMORY } from "./errors.ts";
import { probeIndexes } from "./probe.ts";
import { migrate } from "./schema.ts";
import { refuseDamage, wasEmptied } from "./signs.ts";

/**
 * The write-ahead log is emptied each 1,000 pages (4 MB), which is SQLite's own; where a reader has kept that from being
 * done, it is cut back to so many bytes as soon as the reader has gone.
 */
const LOG_BYTES = 16 * 1024 * 1024;

/** An open store. `wal` is the descriptor of its write-ahead log; a store in memory has none. */
export interface Database {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly wal: number | undefined;
  /** What whoever opens it should be told. */
  readonly notice?: Sentence;
  /** It can be read and not written: why. */
  readonly refusal?: StoreError;
  /** Takes away what was made to open it, behind its closing. */
  readonly leave?: () => void;
}

/**
 * Opens or creates the store at an absolute path and waits up to `patienceMs` for a lock.
 * Throws StoreError; a file that is no store of ours is left untouched.
 */
export function openDatabase(path: string, patienceMs: number): Database {
  return withStoreErrors(path, () => {
    makeFolder(dirname(path));
    const file = makeFile(path);
    const notice = refuseDamage(file, isOpenHere(file));
    const db = new DatabaseSync(file, { timeout: patienceMs });
    try {
      keepBeforeUpgrade(db, file, path);
      migrate(db, path);
      probeIndexes(db);
      const mode = db.prepare("pragma journal_mode = wal").get();
      if (mode?.["journal_mode"] !== "wal")
        throw new Error("its file system has no shared memory for a write-ahead log");
      // From the beginning: what moves to another page leaves what it was behind, and no removal would find that.
      db.exec("pragma secure_delete = on");
      // Waiting for a lock happens beside the event loop from here on, never in it.
      db.exec(
        `pragma cell_size_check = on; pragma trusted_schema = off; pragma synchronous = normal; pragma journal_size_limit = ${LOG_BYTES}; begin immediate; commit; pragma busy_timeout = 0`,
      );
      const wal = openSync(`${file}-wal`, "r+");
      syncFolder(dirname(file));
      openHere.set(db, file);
      return { path, db, wal, ...(notice && { notice }) };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Lets go of a store. `keepsLog`: somebody else closes the descriptor of its log. */
export function closeDatabase({ db, wal }: Pick<Database, "db" | "wal">, keepsLog = false): void {
  if (wal !== undefined && !keepsLog) closeSync(wal);
  openHere.delete(db);
  db.close();
}

/** Whether this process has a store open, by the file behind all links. */
export const isOpenHere = (file: string): boolean => [...openHere.values()].includes(file);

/** The files that this process has open. */
const openHere = new Map<DatabaseSync, string>();

export function openMemory(): Database {
  const db = new DatabaseSync(":memory:");
  migrate(db, IN_MEMORY);
  return { path: IN_MEMORY, db, wal: undefined };
}

/** One folder at a time: a recursive mkdir of Node never returns where new folders are refused with ENOENT, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  makeOne(folder);
  syncFolder(parent);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process was faster
  }
}

/** Returns the file behind all links: SQLite keeps its log beside that one, with the same rights. */
function makeFile(path: string): string {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("it is not a regular file");
    const real = realpathSync(path);
    const log = statSync(`${real}-wal`, { throwIfNoEntry: false });
    // SQLite throws away a log that stands beside an empty file, and with it what was saved.
    if (found.size === 0 && log !== undefined && log.size > 0) throw faultError("corrupt", path);
    if (wasEmptied(found)) throw faultError("corrupt", path);
    return real;
  } finally {
    closeSync(file);
  }
}

export function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A new file is found after power loss only when its folder entry is on disk too. Windows has no such call. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
