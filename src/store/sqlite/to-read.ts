import { copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { StoreError } from "../../protocol/store.ts";
import type { Database } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { formatOf } from "./schema.ts";

/**
 * Opens a store that cannot be written (a full disk, a read-only one) to be read; every write fails with `refusal`.
 * Undefined where that cannot be done either, or where its format is not the newest one.
 */
export function openToRead(path: string, refusal: StoreError): Database | undefined {
  if (!existsSync(path)) return undefined;
  for (const way of [beside, alone, copied]) {
    const opened = attempt(() => way(realpathSync(path)));
    if (opened === undefined) continue;
    if (attempt(() => formatOf(opened.db)) === MIGRATIONS.length) return { path, wal: undefined, refusal, ...opened };
    opened.db.close();
    opened.leave?.();
  }
  return undefined;
}

type Opened = Pick<Database, "db" | "leave">;

/** Other processes have it open, or there is room for the memory they would share. */
const beside = (file: string): Opened => ({ db: new DatabaseSync(file, { readOnly: true }) });

/** Everything that was saved is in the file: there is no log beside it. */
function alone(file: string): Opened | undefined {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) return undefined;
  const whole = pathToFileURL(file);
  whole.searchParams.set("immutable", "1");
  return { db: new DatabaseSync(whole, { readOnly: true }) };
}

/** A copy with its log, elsewhere. */
function copied(file: string): Opened {
  const folder = mkdtempSync(join(tmpdir(), "evander-read-"));
  const leave = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "store.db");
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`);
    return { db: new DatabaseSync(copy), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
