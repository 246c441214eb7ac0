import { reasonOf } from "../../protocol/reason-of.ts";
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sentence } from "../../protocol/sentence.ts";
import { StoreError, type StoreFault } from "../../protocol/store.ts";

/**
 * What shows that a store is damaged beside what SQLite says. `log`: its write-ahead log is, or is missing; `removed`: that
 * was taken away under a process that writes; `unfinished`: another store was about to take its place.
 */
type Damage = "log" | "removed" | "unfinished";

export class DamageError extends Error {
  readonly damage: Damage;

  constructor(damage: Damage) {
    super(damage);
    this.damage = damage;
  }
}

/** Primary result codes of SQLite, https://www.sqlite.org/rescode.html. */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
/** What SQLite says for any system call that failed. */
const SQLITE_IOERR = 10;
const SQLITE_CANTOPEN = 14;
const SQLITE_FAULTS: ReadonlyMap<number, StoreFault> = new Map([
  [SQLITE_BUSY, "locked"],
  [6, "locked"],
  [8, "read_only"],
  [11, "corrupt"],
  [13, "full"],
  [26, "corrupt"],
]);
const SYSTEM_FAULTS: ReadonlyMap<string, StoreFault> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EACCES", "read_only"],
  ["EPERM", "read_only"],
  ["EROFS", "read_only"],
]);

/** With these a store can still be read. */
export const UNWRITTEN: ReadonlySet<StoreFault> = new Set(["full", "read_only"]);

/** The place of a store as people read it: its path, or that it has none. */
export const IN_MEMORY = "in memory";

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

/** Another connection holds the lock that was asked for. */
export const isBusy = (error: unknown): boolean => primaryCode(error) === SQLITE_BUSY;

/** The file can be read, but for a full or a read-only disk nothing can be added to it. */
export function cannotWrite(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_IOERR || (code !== undefined && UNWRITTEN.has(SQLITE_FAULTS.get(code) ?? "io"));
}

function faultOf(error: unknown, path: string): StoreFault {
  if (error instanceof SyntaxError || error instanceof DamageError) return "corrupt"; // a row that is no JSON
  const code = primaryCode(error);
  if (code !== undefined) return sqliteFault(code, error, path);
  if (error instanceof Error && "code" in error) return SYSTEM_FAULTS.get(String(error.code)) ?? "io";
  return "io";
}

function sqliteFault(code: number, error: unknown, path: string): StoreFault {
  if (code === SQLITE_IOERR || code === SQLITE_CANTOPEN) return isDiskFull(path) ? "full" : "io";
  if (code === SQLITE_ERROR) return isSchema(error) ? "corrupt" : "io";
  return SQLITE_FAULTS.get(code) ?? "io";
}

/** Less than SQLite may ask for at once, for a page of data or of the index of its log. Bytes. */
const NO_SPACE = 64 * 1024;

/** SQLite hides ENOSPC behind "disk I/O error" where it grows its log or the shared memory beside it. */
function isDiskFull(path: string): boolean {
  if (path === IN_MEMORY) return false;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < NO_SPACE;
  } catch {
    return false;
  }
}

/**
 * SQLite says the same for a quota that is used up, a disk that became read-only and a process that has too many files
 * open: writing beside the store tells which. Returns what says most.
 */
function closerError(error: unknown, path: string): unknown {
  const code = primaryCode(error);
  if (path === IN_MEMORY || (code !== SQLITE_IOERR && code !== SQLITE_CANTOPEN)) return error;
  const file = join(dirname(path), `.evander-probe-${process.pid}`);
  try {
    const probe = openSync(file, "w", 0o600);
    try {
      writeSync(probe, Buffer.alloc(NO_SPACE), 0, NO_SPACE, 0);
    } finally {
      closeSync(probe);
    }
    return error;
  } catch (closer) {
    return closer instanceof Error && "code" in closer && TELLING.has(String(closer.code)) ? closer : error;
  } finally {
    rmSync(file, { force: true });
  }
}

const TOO_MANY_FILES: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);
const TELLING: ReadonlySet<string> = new Set([...SYSTEM_FAULTS.keys(), ...TOO_MANY_FILES]);

/** A table or column that every store of the format has is not there. */
const isSchema = (error: unknown): boolean =>
  error instanceof Error &&
  /^no such (?:table|column)|has no column|^duplicate column|already exists$/u.test(error.message);

function damageSentence(damage: Damage | undefined, path: string): Sentence {
  switch (damage) {
    case undefined:
      return {
        en: `The store ${path} is damaged or is no Evander store; nothing was changed: evander store recover saves what can be read and keeps the original.`,
        zh: `存储 ${path} 已损坏，或不是 Evander 的存储；没有改动任何内容：evander store recover 会救回可读的内容并保留原件。`,
      };
    case "log":
      return {
        en: `The log beside the store ${path} is damaged or missing, and with it what was saved last; nothing was changed: evander store recover saves what can be read and keeps the original.`,
        zh: `存储 ${path} 旁的日志已损坏或缺失，最后保存的内容在其中；没有改动任何内容：evander store recover 会救回可读的内容并保留原件。`,
      };
    case "removed":
      return {
        en: `The log beside the store ${path} was removed while it was in use, so nothing more is saved there: end every Evander, then run evander store recover.`,
        zh: `存储 ${path} 旁的日志在使用中被删除，因此不再保存：请结束所有 Evander，然后运行 evander store recover。`,
      };
    case "unfinished":
      return {
        en: `Another store was about to take the place of ${path}, and that was not finished: evander store recover finishes it.`,
        zh: `另一个存储正要取代 ${path}，但没有完成：evander store recover 会把它完成。`,
      };
  }
}

function sentence(fault: StoreFault, path: string, detail: string): Sentence {
  switch (fault) {
    case "full":
      return {
        en: `The disk is full, so nothing more can be saved in ${path}; free some space and try again.`,
        zh: `磁盘已满，无法再保存到 ${path}；请腾出空间后重试。`,
      };
    case "read_only":
      return {
        en: `The store ${path} cannot be written; make the file and its folder writable or use another path.`,
        zh: `无法写入存储 ${path}；请让该文件及其文件夹可写，或换一个路径。`,
      };
    case "corrupt":
      return damageSentence(undefined, path);
    case "locked":
      return {
        en: `Another program keeps the store ${path} locked; close it and try again.`,
        zh: `另一个程序锁定了存储 ${path}；请关闭它后重试。`,
      };
    case "newer":
      return {
        en: `The store ${path} was written by a newer Evander; update Evander to open it.`,
        zh: `存储 ${path} 由更新版本的 Evander 写入；请更新 Evander 后再打开。`,
      };
    case "busy":
    case "lease_lost":
    case "io":
      return {
        en: `The store ${path} cannot be used (${detail}); check the path and the disk.`,
        zh: `无法使用存储 ${path}（${detail}）；请检查路径和磁盘。`,
      };
  }
}

const outOfFiles = (path: string): Sentence => ({
  en: `This process may open no more files, so the store ${path} cannot be used; allow it more (ulimit -n 4096) and try again.`,
  zh: `本进程不能再打开更多文件，因此无法使用存储 ${path}；请提高上限（ulimit -n 4096）后重试。`,
});

export function faultError(fault: StoreFault, path: string, cause?: unknown): StoreError {
  if (cause instanceof DamageError) return new StoreError(fault, damageSentence(cause.damage, path), { cause });
  const detail = reasonOf(cause);
  const isOutOfFiles = cause instanceof Error && "code" in cause && TOO_MANY_FILES.has(String(cause.code));
  return new StoreError(fault, isOutOfFiles ? outOfFiles(path) : sentence(fault, path, detail), { cause });
}

/** What went wrong as one sentence that names the path and the next step; the original is its `cause`. */
export const storeError = (error: unknown, path: string): StoreError =>
  error instanceof StoreError ? error : faultErrorOf(closerError(error, path), path);

const faultErrorOf = (error: unknown, path: string): StoreError => faultError(faultOf(error, path), path, error);

/** Runs `work`; whatever it throws becomes a StoreError. */
export function withStoreErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(error, path);
  }
}

/** As `withStoreErrors`, for what is read piece by piece. */
export function* eachWithStoreErrors<T>(path: string, items: Iterable<T>): Generator<T> {
  try {
    yield* items;
  } catch (error) {
    throw storeError(error, path);
  }
}
