import { DatabaseSync } from "node:sqlite";
import type { Store } from "../../protocol/store.ts";
import { audited } from "./audit.ts";
import { faultError, withStoreErrors } from "./errors.ts";
import { MIGRATIONS } from "./migrations.ts";
import { formatOf } from "./schema.ts";

/** How long another process may keep the file locked, ms. */
const PATIENCE_MS = 10_000;

/** A store that can be looked at and nothing else. */
export interface AuditedFile extends Pick<Store, "audit"> {
  /** The file is of an older format: it is brought up where it is opened, and can be looked at then. */
  readonly older: boolean;
  close(): void;
}

/** Opens a store without changing it. Throws StoreError. */
export function openAudit(path: string): AuditedFile {
  return withStoreErrors(path, () => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
    const format = formatOf(db);
    if (format > MIGRATIONS.length) {
      db.close();
      throw faultError("newer", path);
    }
    return {
      older: format < MIGRATIONS.length,
      audit: (look) => withStoreErrors(path, () => audited(db, look)),
      close: () => db.close(),
    };
  });
}
