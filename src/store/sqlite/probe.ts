import type { DatabaseSync } from "node:sqlite";

/** Each index with what it finds a row of its table by. */
const INDEXES = [
  ["session", "sqlite_autoindex_session_1", ["key"]],
  ["message", "message_place", ["session", "seq", "part"]],
  ["journal", "journal_session", ["session"]],
  ["turn", "turn_session", ["session"]],
  ["turn", "turn_name", ["name"]],
  ["opening", "sqlite_autoindex_opening_1", ["hash"]],
] as const;

/** The first and the last row of each table that its index does not find. */
const PROBE = INDEXES.map(
  ([table, index, columns]) => `select '${index}' as lost from ${table} as row
    where id in ((select min(id) from ${table}), (select max(id) from ${table})) and not exists(
      select 1 from ${table} as found indexed by ${index}
      where ${columns.map((column) => `found.${column} = row.${column}`).join(" and ")} and +found.id = row.id)`,
).join(" union all ");

/**
 * SQLite believes an index: where that has another's page, rows are missing and nobody is told. A look at both ends of
 * each is what an opening can pay for; all of it is looked at by `doctor --check`. Throws a SyntaxError.
 */
export function probeIndexes(db: DatabaseSync): void {
  const lost = db.prepare(PROBE).get()?.["lost"];
  if (lost !== undefined) throw new SyntaxError(`${String(lost)} does not find what is there`);
}
