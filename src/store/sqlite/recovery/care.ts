import { closeSync, openSync, readSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { OnPages } from "../../../protocol/store-care.ts";
import { closeDatabase, isOpenHere, openDatabase } from "../database.ts";
import { withStoreErrors } from "../errors.ts";
import { ownerOf } from "../lease-holder.ts";
import { APPLICATION_ID } from "../migrations.ts";
import { SEARCH_TABLES } from "../schema.ts";
import { SearchIndex } from "../search.ts";
import { refuseDamage } from "../signs.ts";

/** Throws StoreError `corrupt` where the files of a store show that something of it would be missing. */
export const refuseIfDamaged = (path: string): void =>
  withStoreErrors(path, () => void refuseDamage(path, isOpenHere(path)));

/**
 * Whether another program has made the database. One byte of the mark that is not ours may be damage, more are another mark.
 * https://www.sqlite.org/fileformat2.html#the_database_header
 */
export function isForeign(path: string): boolean {
  const head = Buffer.alloc(100);
  const file = openSync(path, "r");
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  const ours = Buffer.alloc(4);
  ours.writeInt32BE(APPLICATION_ID);
  const different = ours.filter((byte, at) => head[68 + at] !== byte).length;
  return head.toString("latin1", 0, 16) === "SQLite format 3\0" && different > 1;
}

/** A process that lives and works in a session of the store; undefined where there is none, or nobody can say. */
export function liveHolder(path: string): number | undefined {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = db.prepare("select owner, expires from session where owner is not null").all();
      const owners = rows.map((row) => ownerOf(row as unknown as Parameters<typeof ownerOf>[0]));
      return owners.find((owner) => owner?.alive === true)?.pid;
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}

export interface Rebuilding {
  readonly dryRun: boolean;
  readonly patienceMs: number;
  readonly onPages: OnPages;
}

/** Makes the search index anew, while others go on writing. Returns how many messages there are. Throws StoreError. */
export async function rebuildIndex(path: string, { dryRun, patienceMs, onPages }: Rebuilding): Promise<number> {
  return withStoreErrors(path, () => {
    const database = openDatabase(path, patienceMs);
    const { db } = database;
    try {
      const messages = Number(db.prepare("select coalesce(max(id), 0) as n from message").get()?.["n"]);
      if (dryRun) return messages;
      db.exec(`pragma busy_timeout = ${patienceMs}; begin immediate; drop table words; drop table signs;
        ${SEARCH_TABLES} update search_progress set indexed = 0; commit`);
      const index = new SearchIndex(db);
      while (index.goOn())
        onPages(Number(db.prepare("select indexed from search_progress").get()?.["indexed"]), messages);
      return messages;
    } finally {
      closeDatabase(database);
    }
  });
}
