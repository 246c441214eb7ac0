import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { AuditedFile } from "../../protocol/store.ts";
import { audited } from "./audit.ts";
import { withStoreErrors } from "./errors.ts";
import { MIGRATIONS } from "./migrations.ts";
import { checkFormat } from "./schema.ts";

/** How long another process may keep the file locked, ms. */
const PATIENCE_MS = 10_000;

function formatIn(db: DatabaseSync, path: string): number {
  try {
    return checkFormat(db, path, MIGRATIONS.length);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a store without changing it; undefined: there is none. Throws StoreError. */
export function openAudit(path: string): AuditedFile | undefined {
  if (!existsSync(path)) return undefined;
  return withStoreErrors(path, () => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
    const format = formatIn(db, path);
    return {
      older: format < MIGRATIONS.length,
      audit: (look) => withStoreErrors(path, () => audited(db, look)),
      close: () => db.close(),
    };
  });
}
