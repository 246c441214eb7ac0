import { DatabaseSync } from "node:sqlite";

/** What is wrong with a store that nobody writes. */
export function findTroubles(path: string): readonly string[] {
  const db = new DatabaseSync(path);
  try {
    const rows = db.prepare("pragma integrity_check(3)").all();
    return rows.map((row) => String(row["integrity_check"])).filter((it) => it !== "ok");
  } finally {
    db.close();
  }
}
