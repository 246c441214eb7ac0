import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../src/store/sqlite/migrations.ts";

const TABLES = ["session", "message", "journal", "turn", "opening", "charge"] as const;

/** Makes of a store one of an older format, as a program of that time would have left it: with what it knew how to keep. */
export function makeOlder(path: string, format: number): void {
  const old = `${path}-older`;
  const db = new DatabaseSync(old);
  for (const migration of MIGRATIONS.slice(0, format)) db.exec(migration);
  db.exec(`pragma user_version = ${format}; attach '${path}' as newer`);
  for (const table of TABLES) {
    const columns = `select name from pragma_table_info('${table}'`;
    const both = db.prepare(`${columns}, 'main') intersect ${columns}, 'newer')`).all();
    const names = both.map(({ name }) => `"${String(name)}"`).join(", ");
    db.exec(`insert into main.${table}(${names}) select ${names} from newer.${table}`);
  }
  db.exec("detach newer; pragma journal_mode = wal");
  db.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  renameSync(old, path);
}
