import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type StoreCheck, StoreError } from "../../protocol/store.ts";
import { faultError, withStoreErrors } from "./errors.ts";
import { MIGRATIONS } from "./migrations.ts";
import { formatOf } from "./schema.ts";

/** How long another process may keep the file locked, ms. */
const PATIENCE_MS = 1_000;

/** Looks at a store without changing it: whether its pages and indexes agree, and whether this program can read it. */
export function checkSqliteStore(path: string): StoreCheck {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return { type: "absent" };
  try {
    return withStoreErrors(path, () => ({ type: "sound", sessions: look(path), bytes: file.size }));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { type: "faulty", fault: error.fault, message: error.sentence };
  }
}

/** The number of sessions. Throws for whatever is wrong. */
function look(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
  try {
    if (formatOf(db) > MIGRATIONS.length) throw faultError("newer", path);
    const [first] = db.prepare("pragma quick_check(1)").all();
    if (first?.["quick_check"] !== "ok") throw faultError("corrupt", path);
    return Number(db.prepare("select count(*) as n from session").get()?.["n"]);
  } finally {
    db.close();
  }
}
