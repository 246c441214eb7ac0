import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, save, temporaryFolder, turnStart } from "../../../test/support/store-world.ts";
import { formatOf, migrate, MIGRATIONS } from "./schema.ts";
import { openSqliteStore } from "./store.ts";

const nextFormat = [...MIGRATIONS, "alter table session add column note text; update session set note = 'kept'"];

function raw(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  return db;
}

test("[G1] a store of an older format is upgraded with its content, and a writer of the older program is fenced off", async () => {
  const path = join(temporaryFolder(), "store.db");
  const old = openSqliteStore({ path });
  onTestFinished(() => old.close());
  const writer = (await old.open("s")).writer(() => undefined);
  await save(writer, turnStart("t", 0, "hello"));

  const db = raw(path);
  migrate(db, path, nextFormat);
  migrate(db, path, nextFormat);
  expect(formatOf(db)).toBe(MIGRATIONS.length + 1);
  expect(db.prepare("select note from session").get()?.["note"]).toBe("kept");
  expect(db.prepare("select count(*) as n from message").get()?.["n"]).toBe(1);

  expect((await faultOf(() => save(writer, { type: "turn-resumed" }))).fault).toBe("lease_lost");
  expect((await faultOf(() => old.open("s"))).fault).toBe("newer");
});

test("[G1] an upgrade that fails changes nothing", () => {
  const path = join(temporaryFolder(), "store.db");
  openSqliteStore({ path }).close();
  const db = raw(path);
  expect(() => migrate(db, path, [...MIGRATIONS, "drop table turn; drop table no_such_table"])).toThrow(
    "no_such_table",
  );
  expect(formatOf(db)).toBe(MIGRATIONS.length);
  expect(db.prepare("select count(*) as n from turn").get()?.["n"]).toBe(0);
});

test("[G1] a store of a newer format is left alone with a sentence that says to update", async () => {
  const path = join(temporaryFolder(), "store.db");
  openSqliteStore({ path }).close();
  const db = raw(path);
  migrate(db, path, nextFormat);
  db.close();
  const before = readFileSync(path);
  const error = await faultOf(() => openSqliteStore({ path }));
  expect(error.fault).toBe("newer");
  expect(error.message).toBe(`The store ${path} was written by a newer Evander; update Evander to open it.`);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("[G1] a database of another program is not taken for a store", async () => {
  const path = join(temporaryFolder(), "other.db");
  const db = raw(path);
  db.exec("create table theirs(x); insert into theirs values(1)");
  db.close();
  const before = readFileSync(path);
  expect((await faultOf(() => openSqliteStore({ path }))).fault).toBe("corrupt");
  expect(readFileSync(path).equals(before)).toBe(true);
});
