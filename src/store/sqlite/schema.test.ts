import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import { MIGRATIONS } from "./migrations.ts";
import { formatOf, migrate } from "./schema.ts";
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

/** What a store is made of; the words in which it was said when differ. */
function shapeOf(db: DatabaseSync): unknown {
  const made = db.prepare("select type, name, sql from sqlite_schema order by name").all();
  return {
    application: db.prepare("pragma application_id").get(),
    progress: db.prepare("select * from search_progress").all(),
    made: made.map(({ type, name, sql }) => [type, name, String(sql).replace(/^create table [^]*/iu, "")]),
    columns: made.map(({ name }) => db.prepare("select * from pragma_table_xinfo(?)").all(String(name))),
    merging: ["words", "signs"].map((index) => db.prepare(`select * from ${index}_config order by k`).all()),
  };
}

test("[G1] a new store is what all migrations come to", () => {
  const folder = temporaryFolder();
  const [made, grown] = [raw(join(folder, "made.db")), raw(join(folder, "grown.db"))];
  migrate(made, "made");
  migrate(grown, "grown", [...MIGRATIONS]);
  expect(formatOf(made)).toBe(formatOf(grown));
  expect(shapeOf(made)).toEqual(shapeOf(grown));
});

test.each([["drop table turn; drop table no_such_table"], ["drop table turn", "drop table no_such_table"]])(
  "[G1] an upgrade that fails changes nothing, in whichever of its steps: %s",
  (...steps) => {
    const path = join(temporaryFolder(), "store.db");
    openSqliteStore({ path }).close();
    const db = raw(path);
    expect(() => migrate(db, path, [...MIGRATIONS, ...steps])).toThrow("no_such_table");
    expect(formatOf(db)).toBe(MIGRATIONS.length);
    expect(db.prepare("select count(*) as n from turn").get()?.["n"]).toBe(0);
  },
);

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
  writer.keepRequest({ continues: false, add: [Buffer.from('{"messages":['), Buffer.from("1")], tail: "]}" });
  await save(writer, reply(1, "hi"), turnEnd("hi"));
  expect([...store.requests("t")]).toEqual([{ attempt: 2, body: '{"messages":[1]}', head: 14 }]);
  expect(store.history("s")).toHaveLength(2);
});

test("[G1 C18] a store of the sixth format is upgraded: its sessions have learnt nothing yet, and keep what they learn", async () => {
  const path = join(temporaryFolder(), "store.db");
  const db = raw(path);
  migrate(db, path, MIGRATIONS.slice(0, 6));
  const compaction = { through: 1, from: 0, instruction: 0, cutBefore: 0 };
  db.prepare("insert into session values(1, 's', 1, null, 0, 5, 'hello', ?, 'abc', null, null, null)").run(
    JSON.stringify(compaction),
  );
  db.exec(`
    insert into message values(1, 1, 0, 0, '{"role":"user","parts":[{"type":"text","text":"hello"}]}');
    insert into journal(id, session, at, facts) values(1, 1, 5, '[{"type":"turn-start","turnId":"t","seq":0,"model":"m","provider":"p","maxIterations":5},{"type":"request-adjusted","adjustment":{"streaming":false}}]');
    insert into turn(id, session, name, first) values(1, 1, 't', 1);
  `);
  db.close();
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  const session = await store.open("s");
  expect(session).toMatchObject({ compaction, learnt: undefined, nonce: "abc" });
  expect(session.openTurn).toHaveLength(2);
  const learnt = { "p/m": { streaming: false, opaque: { from: 1 } } } as const;
  const adjusted = { type: "request-adjusted", adjustment: { opaque: { from: 1 } }, learnt } as const;
  const less = { type: "request-adjusted", adjustment: { maxOutput: 9 } } as const;
  await save(
    session.writer(() => undefined),
    adjusted,
    less,
  );
  expect(await store.open("s")).toMatchObject({ compaction, learnt });
  expect((await store.open("s")).openTurn.slice(2)).toEqual([adjusted, less]);
});

test("[G1 X7] requests that a store of the third format kept beside the journal can be read after the upgrade, and go on", async () => {
  const path = join(temporaryFolder(), "store.db");
  const db = raw(path);
  migrate(db, path, MIGRATIONS.slice(0, 3));
  const hash = createHash("sha256").update('{"messages":[').digest("hex");
  const attempts = [1, 2, 3].map(
    (attempt) => `{"type":"attempt-start","attempt":${attempt},"iteration":1,"model":"m"}`,
  );
  const [start, again] = ["t", "u"].map(
    (turnId) => `{"type":"turn-start","turnId":"${turnId}","seq":0,"model":"m","provider":"p","maxIterations":5}`,
  );
  db.exec(`
    insert into session values(1, 's', 1, null, 0, 5, 'hello', null, 'abc'), (2, 'other', 1, null, 0, 5, null, null, 'def');
    insert into message values(1, 1, 0, 0, '{"role":"user","parts":[{"type":"text","text":"hello"}]}');
    insert into journal values(1, 1, 5, '[${start},${attempts[0]}]'), (2, 2, 5, '[${again},${attempts[0]}]'),
      (3, 1, 5, '[${attempts[1]}]'), (4, 1, 5, '[${attempts[2]}]');
    insert into turn values(1, 1, 't', 1, null), (2, 2, 'u', 2, null);
    insert into opening values(7, x'${hash}', cast('{"messages":[' as blob));
    insert into request values(1, 1, 1, null, 7, cast('1' as blob), ']}'), (2, 2, 1, null, 7, cast('9' as blob), ']}'),
      (3, 1, 2, 1, null, x'', ']}'), (4, 1, 3, 3, null, cast(',2' as blob), ',0]}');
  `);
  db.close();
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  const kept = [
    { attempt: 1, body: '{"messages":[1]}', head: 14 },
    { attempt: 2, body: '{"messages":[1]}', head: 14 },
    { attempt: 3, body: '{"messages":[1,2,0]}', head: 16 },
  ];
  expect([...store.requests("t")]).toEqual(kept);
  expect([...store.requests("u")]).toEqual([{ attempt: 1, body: '{"messages":[9]}', head: 14 }]);
  const writer = (await store.open("s")).writer(() => undefined);
  writer.append({ type: "attempt-start", attempt: 4, iteration: 2, model: "m" });
  writer.keepRequest({
    continues: false,
    add: ['{"messages":[', "1,2,3"].map((text) => Buffer.from(text)),
    tail: "]}",
  });
  await writer.barrier();
  expect([...store.requests("t")]).toEqual([...kept, { attempt: 4, body: '{"messages":[1,2,3]}', head: 18 }]);
  const { added } = raw(path).prepare("select added from journal order by id desc limit 1").get() ?? {};
  expect(Buffer.from(added as Uint8Array).toString()).toBe(",3");
});

test("[G1] what a store of the tenth format has said is found after the upgrade, anew, and nothing else", async () => {
  const path = join(temporaryFolder(), "store.db");
  const db = raw(path);
  migrate(db, path, MIGRATIONS.slice(0, 10));
  const body = (text: string): string => JSON.stringify({ role: "user", parts: [{ type: "text", text }] });
  db.exec(`
    insert into session(id, key, epoch, expires, created, title) values(1, 's', 1, 0, 5, 'hello'), (2, 'hidden', 1, 0, 5, 'x');
    update session set purpose = 'review', parent = 1, shared = 0 where id = 2;
    insert into message values(1, 1, 0, 0, '${body("the harbour")}'), (2, 2, 0, 0, '${body("harbour")}'),
      (3, 1, 1, 0, '${body("错误信息 port")}');
    insert into words(rowid, text) values(1, 'the harbour'), (2, 'harbour'), (3, ' port');
    insert into trigrams(rowid, text) values(3, '错误信息');
    update search_progress set indexed = 3;
  `);
  db.close();
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  for (const [query, seq] of [
    ["harbour", 0],
    ["harb*", 0],
    ["误", 1],
    ["误信 port", 1],
  ] as const)
    expect(store.search(query, 9)).toMatchObject([{ sessionId: "s", seq }]);
  expect(raw(path).prepare("select indexed from search_progress").get()?.["indexed"]).toBe(3);
  await store.remove("s");
  expect(store.search("harbour", 9)).toEqual([]);
});
