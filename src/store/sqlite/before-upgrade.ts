import { closeSync, existsSync, openSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "./migrations.ts";
import { checkFormat } from "./schema.ts";

/** Larger stores are brought up without a copy, bytes: an upgrade is one transaction, and a copy is only for going back. */
const LARGEST = 1024 * 1024 * 1024;

/**
 * Keeps what a store of an older format holds in a file beside it, for going back to the program that wrote it; the copy
 * of an upgrade before stays. Where there is no room for it there is none. Throws what `checkFormat` throws.
 */
export function keepBeforeUpgrade(db: DatabaseSync, file: string, path: string): void {
  const format = checkFormat(db, path, MIGRATIONS.length);
  const copy = `${file}.format-${format}`;
  if (format === 0 || format === MIGRATIONS.length || existsSync(copy) || !hasRoom(file)) return;
  const draft = `${copy}.part`;
  try {
    rmSync(draft, { force: true });
    closeSync(openSync(draft, "wx", 0o600));
    db.prepare("vacuum into ?").run(draft);
    renameSync(draft, copy);
  } catch {
    rmSync(draft, { force: true });
  }
}

function hasRoom(file: string): boolean {
  const { size } = statSync(file);
  const { bavail, bsize } = statfsSync(dirname(file));
  return size <= LARGEST && bavail * bsize > 4 * size;
}
