import { randomUUID } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { OnPages } from "../../../protocol/store-care.ts";
import { syncFile, syncFolder } from "../database.ts";
import { faultError, storeError, withStoreErrors } from "../errors.ts";
import { APPLICATION_ID, MIGRATIONS } from "../migrations.ts";
import { formatOf } from "../schema.ts";

/** A file beside a store, by its path below the folder of the store. */
export interface BesideFile {
  readonly name: string;
  readonly body: Buffer;
}

export interface BackupCounts {
  readonly sessions: number;
  readonly messages: number;
}

/** How long another process may keep the file locked, ms. */
const PATIENCE_MS = 10_000;
const PAGES_AT_ONCE = 512;

const BESIDE = "create table beside(name text primary key, body blob not null, sum integer not null)";

/** Of what is backed up nobody holds a lease. */
const FREE = "update session set owner = null, epoch = epoch + 1";

/**
 * Writes all that was committed when it began into a new file, which only its owner can read, while others go on
 * writing; `beside` goes with it. The file is there when all of it is on the disk. Throws StoreError.
 */
export async function backUp(
  path: string,
  file: string,
  beside: Iterable<BesideFile>,
  onPages: OnPages,
): Promise<BackupCounts & { readonly files: number; readonly bytes: number }> {
  // Another process may make one of the same name, and a file of somebody's own may stand beside it.
  const draft = `${file}.part-${randomUUID()}`;
  try {
    closeSync(openSync(draft, "wx", 0o600));
    await copyPages(path, draft, onPages);
    const counts = withStoreErrors(file, () => completed(draft, beside));
    syncFile(draft);
    renameSync(draft, file);
    syncFolder(dirname(file));
    return { ...counts, bytes: statSync(file).size };
  } catch (error) {
    rmSync(draft, { force: true });
    throw storeError(error, file);
  }
}

/** One snapshot, page by page: whoever writes meanwhile is not waited for and makes it begin nothing anew. */
async function copyPages(path: string, draft: string, onPages: OnPages): Promise<void> {
  const source = withStoreErrors(path, () => new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS }));
  try {
    withStoreErrors(path, () => {
      source.exec("begin");
      source.prepare("select count(*) from sqlite_schema").get();
    });
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void =>
      onPages(totalPages - remainingPages, totalPages);
    await backup(source, draft, { rate: PAGES_AT_ONCE, progress });
  } catch (error) {
    throw storeError(error, path);
  } finally {
    source.close();
  }
}

function completed(draft: string, beside: Iterable<BesideFile>): BackupCounts & { readonly files: number } {
  const db = new DatabaseSync(draft);
  try {
    db.exec(`pragma journal_mode = delete; begin; ${BESIDE}; ${FREE}`);
    const insert = db.prepare("insert into beside(name, body, sum) values(?, ?, ?)");
    let files = 0;
    for (const { name, body } of beside) {
      insert.run(name, body, crc32(body));
      files++;
    }
    db.exec("commit");
    return { ...countsIn(db), files };
  } finally {
    db.close();
  }
}

const countsIn = (db: DatabaseSync): BackupCounts => ({
  sessions: Number(db.prepare("select count(*) as n from session where purpose is null").get()?.["n"]),
  messages: Number(db.prepare("select count(*) as n from message where part = 0").get()?.["n"]),
});

/** A backup that was looked through. */
export interface OpenBackup extends BackupCounts {
  /** Each is held against its checksum when it is read. */
  readonly beside: () => Generator<BesideFile>;
  readonly close: () => void;
}

/** Opens a backup, or a store that lies somewhere else, and looks through all of it. Throws StoreError. */
export function openBackup(file: string): OpenBackup {
  return withStoreErrors(file, () => {
    const db = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE_MS });
    try {
      if (Number(db.prepare("pragma application_id").get()?.["application_id"]) !== APPLICATION_ID)
        throw faultError("corrupt", file);
      if (formatOf(db) > MIGRATIONS.length) throw faultError("newer", file);
      if (db.prepare("pragma integrity_check(1)").get()?.["integrity_check"] !== "ok")
        throw faultError("corrupt", file);
      return { ...countsIn(db), beside: () => besideIn(db, file), close: () => db.close() };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function* besideIn(db: DatabaseSync, file: string): Generator<BesideFile> {
  if (db.prepare("select 1 from sqlite_schema where name = 'beside'").get() === undefined) return;
  for (const row of db.prepare("select name, body, sum from beside order by name").iterate()) {
    const { name, body, sum } = row as unknown as {
      readonly name: string;
      readonly body: Uint8Array;
      readonly sum: number;
    };
    if (crc32(body) !== sum) throw faultError("corrupt", file);
    yield { name, body: Buffer.from(body) };
  }
}

/** Puts the store that is in a backup into a new file, all of it on disk (replaceWith). Throws StoreError. */
export async function unpack(file: string, draft: string, onPages: OnPages): Promise<void> {
  withStoreErrors(draft, () => {
    rmSync(draft, { force: true });
    closeSync(openSync(draft, "wx", 0o600));
  });
  await copyPages(file, draft, onPages);
  withStoreErrors(draft, () => {
    const db = new DatabaseSync(draft);
    try {
      db.exec(`pragma journal_mode = delete; drop table if exists beside; ${FREE}; vacuum`);
    } finally {
      db.close();
    }
    syncFile(draft);
  });
}
