import { constants, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFile, syncFolder } from "../database.ts";
import { storeError } from "../errors.ts";
import { nextOf } from "../signs.ts";

const PARTS = ["", "-wal", "-shm"] as const;

/** What a file that is kept is called, by the second. */
const stamp = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 19).replaceAll(":", "-");

/** A name beside the store that nothing has yet, such as `evander.db.damaged-2026-12-01T03-20-11`. */
export function freeName(path: string, word: string, nowMs: number): string {
  const first = `${path}.${word}-${stamp(nowMs)}`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (PARTS.every((part) => !existsSync(name + part))) return name;
  }
}

/** Copies a store with its log, byte for byte, and has the copies on disk when it returns: all or none. Throws StoreError. */
export function keepCopy(path: string, as: string): void {
  const made: string[] = [];
  try {
    for (const part of PARTS) {
      if (!existsSync(path + part)) continue;
      made.push(as + part);
      copyFileSync(path + part, as + part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      syncFile(as + part);
    }
    syncFolder(dirname(path));
  } catch (error) {
    for (const copy of made) rmSync(copy, { force: true });
    throw storeError(error, path);
  }
}

/**
 * Puts a finished store in the place of the one at `path`, of which a copy is kept by then: whoever finishes this for one
 * that died in it keeps none.
 */
export function replaceWith(draft: string, path: string): void {
  renameSync(draft, nextOf(path));
  syncFolder(dirname(path));
  replaceStore(path);
}

/**
 * Puts the finished store at `next` (nextOf) in the place of the one at `path`, whose log belongs to it alone. Whoever
 * dies in it leaves `next` behind, with which no store is opened until this is done again.
 */
export function replaceStore(path: string): void {
  const next = nextOf(path);
  for (const part of ["-wal", "-shm"]) rmSync(path + part, { force: true });
  syncFolder(dirname(path));
  renameSync(next, path);
  syncFolder(dirname(path));
}
