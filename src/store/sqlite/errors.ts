import { reasonOf } from "../../protocol/reason-of.ts";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Sentence } from "../../protocol/sentence.ts";
import { StoreError, type StoreFault } from "../../protocol/store.ts";

/** Primary result codes of SQLite, https://www.sqlite.org/rescode.html. */
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

/** The place of a store as people read it: its path, or that it has none. */
export const IN_MEMORY = "in memory";

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

/** Another connection holds the lock that was asked for. */
export const isBusy = (error: unknown): boolean => primaryCode(error) === SQLITE_BUSY;

function faultOf(error: unknown, path: string): StoreFault {
  const code = primaryCode(error);
  if (code === SQLITE_IOERR || code === SQLITE_CANTOPEN) return isDiskFull(path) ? "full" : "io";
  if (code !== undefined) return SQLITE_FAULTS.get(code) ?? "io";
  if (error instanceof SyntaxError) return "corrupt"; // a row that is no JSON
  if (error instanceof Error && "code" in error) return SYSTEM_FAULTS.get(String(error.code)) ?? "io";
  return "io";
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
      return {
        en: `The store ${path} is damaged or is no Evander store; nothing was changed: move it away or restore a copy.`,
        zh: `存储 ${path} 已损坏，或不是 Evander 的存储；没有改动任何内容：请把它移走，或恢复一份副本。`,
      };
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

export function faultError(fault: StoreFault, path: string, cause?: unknown): StoreError {
  const detail = reasonOf(cause);
  return new StoreError(fault, sentence(fault, path, detail), { cause });
}

/** What went wrong as one sentence that names the path and the next step; the original is its `cause`. */
export const storeError = (error: unknown, path: string): StoreError =>
  error instanceof StoreError ? error : faultError(faultOf(error, path), path, error);

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
