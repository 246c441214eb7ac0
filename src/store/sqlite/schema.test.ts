import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
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

test("[G1] a file of the first format, with a turn in it, is upgraded when it is opened, and goes on", async () => {
  const path = join(temporaryFolder(), "store.db");
  const [first = ""] = MIGRATIONS;
  const db = raw(path);
  migrate(db, path, [first]);
  db.exec(`
    insert into session values(1, 's', 1, null, 0, 5, 'hello');
    insert into message values(1, 1, 0, 0, '{"role":"user","parts":[{"type":"text","text":"hello"}]}');
    insert into journal values(1, 1, 5, '[{"type":"turn-start","turnId":"t","seq":0,"model":"m","provider":"p","maxIterations":5},{"type":"attempt-start","attempt":1,"iteration":1,"model":"m"}]');
    insert into turn values(1, 1, 't', 1, null);
  `);
  db.close();
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  const session = await store.open("s");
  expect(session.openTurn).toHaveLength(2);
  expect([...store.requests("t")]).toEqual([]);
  const writer = session.writer(() => undefined);
  writer.append({ type: "attempt-start", attempt: 2, iteration: 1, model: "m" });
  writer.keepRequest(2, { continues: false, add: [Buffer.from('{"messages":['), Buffer.from("1")], tail: "]}" });
  await save(writer, reply(1, "hi"), turnEnd("hi"));
  expect([...store.requests("t")]).toEqual([{ attempt: 2, body: '{"messages":[1]}' }]);
  expect(store.history("s")).toHaveLength(2);
});
