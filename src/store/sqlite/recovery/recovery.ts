import { rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { StoreAudit } from "../../../protocol/store-audit.ts";
import type { OnPages, RecoveredSession } from "../../../protocol/store-care.ts";
import { audited } from "../audit.ts";
import { closeDatabase, type Database, openDatabase, syncFile } from "../database.ts";
import { withStoreErrors } from "../errors.ts";
import { ownerOf } from "../lease-holder.ts";
import { prepareInserts } from "../writer.ts";
import { derive } from "./derive.ts";
import { type Cut, cutSession } from "./mend.ts";
import { replaceWith } from "./replace.ts";
import { salvage, type Salvaged } from "./salvage.ts";

type Kept = Omit<RecoveredSession, "state">;

/** What can be read of a store, in a new file beside it. */
export interface Recovery {
  readonly salvaged: Salvaged;
  /** A process that lives and had a session of the store, by its number. */
  readonly heldBy: number | undefined;
  readonly audit: <T>(look: (audit: StoreAudit) => T) => T;
  /** What is kept of each session. */
  readonly sessions: () => readonly Kept[];
  /** Takes sessions apart that do not hold together. */
  readonly cut: (cuts: readonly Cut[]) => void;
  /** Puts it in the place of the store, of which a copy is kept by then. */
  readonly finish: () => void;
  /** Leaves nothing behind. */
  readonly drop: () => void;
}

const SESSIONS = `select id, key as sessionId, coalesce(title, '') as title,
    (select count(*) from message where session = session.id and part = 0) as messages,
    (select count(*) from turn where session = session.id) as turns from session order by id`;

/** Reads all that can be read of the store at an absolute path, and writes it anew. Nothing of the store is changed. Throws StoreError. */
export function recover(path: string, patienceMs: number, onPages: OnPages): Recovery {
  const into = `${path}.recovering`;
  const remove = (): void => {
    for (const part of ["", "-wal", "-shm"]) rmSync(into + part, { force: true });
  };
  return withStoreErrors(path, () => {
    remove();
    const database = openDatabase(into, patienceMs);
    const { db } = database;
    try {
      const { salvaged, heldBy } = filled(path, db, onPages);
      return {
        salvaged,
        heldBy,
        audit: (look) => withStoreErrors(into, () => audited(db, look)),
        sessions: () => sessionsIn(db, salvaged),
        cut: (cuts) => withStoreErrors(into, () => cutAll(db, cuts)),
        finish: () => withStoreErrors(into, () => finish(database, into, path)),
        drop: () => {
          if (db.isOpen) closeDatabase(database);
          remove();
        },
      };
    } catch (error) {
      closeDatabase(database);
      remove();
      throw error;
    }
  });
}

function filled(path: string, db: DatabaseSync, onPages: OnPages): Pick<Recovery, "salvaged" | "heldBy"> {
  db.exec("begin immediate");
  const salvaged = salvage(path, db, onPages);
  const heldBy = holderIn(db);
  derive(db, Date.now());
  db.exec("commit");
  return { salvaged, heldBy };
}

function holderIn(db: DatabaseSync): number | undefined {
  const rows = db.prepare("select owner, expires from session where owner is not null").all();
  return rows
    .map((row) => ownerOf(row as unknown as Parameters<typeof ownerOf>[0]))
    .find((owner) => owner?.alive === true)?.pid;
}

function sessionsIn(db: DatabaseSync, { changed }: Salvaged): Kept[] {
  return (db.prepare(SESSIONS).all() as unknown as (Kept & { readonly id: number })[]).map(({ id, ...session }) => ({
    ...session,
    changed: changed.filter(({ session: of }) => of === id).length,
  }));
}

function cutAll(db: DatabaseSync, cuts: readonly Cut[]): void {
  db.exec("begin immediate");
  const inserts = prepareInserts(db);
  for (const cut of cuts) cutSession(db, inserts, cut);
  db.exec("commit");
}

function finish(database: Database, from: string, path: string): void {
  database.db.exec("pragma wal_checkpoint(truncate)");
  closeDatabase(database);
  syncFile(from);
  replaceWith(from, path);
}
