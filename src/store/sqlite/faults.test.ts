import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import { openDatabase } from "./database.ts";
import { storeError } from "./errors.ts";
import { openSqliteStore, storeOn } from "./store.ts";

/** Rights mean nothing to root, so the work is done as somebody else then. */
async function withoutPrivileges<T>(work: () => T | Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid === undefined || seteuid === undefined || geteuid() !== 0) return work();
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
  }
}

async function filled(path: string, messages: number): Promise<void> {
  const store = openSqliteStore({ path });
  const writer = (await store.open("s")).writer(() => undefined);
  await save(writer, turnStart("t", 0, "hello"));
  for (let seq = 1; seq < messages; seq++) await save(writer, reply(seq, "x".repeat(2_000)));
  await save(writer, turnEnd("x"));
  store.close();
}

test.each([
  ["garbage", Buffer.alloc(9_000, 7)],
  ["zeros", Buffer.alloc(8_192)],
  ["a short text", Buffer.from("hello")],
])("[G1] a file of %s is named as damaged and left as it is", async (_, bytes) => {
  const path = join(temporaryFolder(), "store.db");
  writeFileSync(path, bytes);
  const error = await faultOf(() => openSqliteStore({ path }));
  expect(error.fault).toBe("corrupt");
  expect(error.message).toBe(
    `The store ${path} is damaged or is no Evander store; nothing was changed: evander store recover saves what can be read and keeps the original.`,
  );
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("[G1] a store that was cut short is named as damaged and left as it is", async () => {
  const path = join(temporaryFolder(), "store.db");
  await filled(path, 50);
  truncateSync(path, 40_000);
  const before = readFileSync(path);
  expect((await faultOf(() => openSqliteStore({ path }))).fault).toBe("corrupt");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("[G1] damage inside the file is told when it is met, as a store fault", async () => {
  const path = join(temporaryFolder(), "store.db");
  await filled(path, 50);
  const bytes = readFileSync(path);
  bytes.fill(0x55, bytes.length - 60_000);
  writeFileSync(path, bytes);
  const error = await faultOf(async () => {
    const store = openSqliteStore({ path });
    onTestFinished(() => store.close());
    await store.open("s");
  });
  expect(error.fault).toBe("corrupt");
});

test("[G1] a row that is no message fails the reader with one sentence, and no other session", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  for (const id of ["good", "bad"]) {
    const session = await store.open(id);
    await save(
      session.writer(() => undefined),
      turnStart(`t-${id}`, 0, "hello"),
    );
    session.release();
  }
  const db = new DatabaseSync(path);
  db.exec("update message set body = '{' where session = (select id from session where key = 'bad')");
  db.close();
  const [good, bad] = await Promise.allSettled([store.open("good"), faultOf(() => store.open("bad"))]);
  expect(good.status).toBe("fulfilled");
  expect(bad).toMatchObject({ value: { fault: "corrupt" } });
  expect((await faultOf(() => store.history("bad"))).fault).toBe("corrupt");
});

test("[G1] an empty file becomes a store, but not beside a log that has content", async () => {
  const path = join(temporaryFolder(), "store.db");
  writeFileSync(path, "");
  openSqliteStore({ path }).close();
  writeFileSync(path, "");
  writeFileSync(`${path}-wal`, "what was saved");
  expect((await faultOf(() => openSqliteStore({ path }))).fault).toBe("corrupt");
  expect(readFileSync(`${path}-wal`, "utf8")).toBe("what was saved");
});

test("[G1] a folder in place of the file, or a file in place of the folder, is said", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  for (const path of [folder, join(folder, "file", "store.db"), join(folder, "a\0b")]) {
    const error = await faultOf(() => openSqliteStore({ path }));
    expect(error.fault).toBe("io");
    expect(error.message).toContain(path);
    expect(error.message).toMatch(/check the path and the disk\.$/u);
  }
});

test("[G1] a file system that takes no new folders ends the opening with a sentence", async () => {
  const error = await faultOf(() => openSqliteStore({ path: "/proc/absent/evander/store.db" }));
  expect(error.fault).toBe("io");
  expect(error.message).toMatch(/ENOENT.*check the path and the disk\.$/u);
});

test("[G1] an I/O error of SQLite on a disk without room is told as a full disk", () => {
  const error = Object.assign(new Error("disk I/O error"), { errcode: 778 });
  expect(storeError(error, "/proc/store.db").fault).toBe("full"); // its file system has no free block
  expect(storeError(error, join(temporaryFolder(), "store.db")).fault).toBe("io");
});

test.each(["file", "folder"])("[G1] a read-only %s is said at opening", async (what) => {
  const folder = join(temporaryFolder(), "kept");
  mkdirSync(folder);
  const path = join(folder, "store.db");
  await filled(path, 2);
  chmodSync(join(folder, ".."), 0o755);
  chmodSync(path, what === "file" ? 0o444 : 0o666);
  chmodSync(folder, what === "file" ? 0o777 : 0o555);
  const error = await withoutPrivileges(() => faultOf(() => openSqliteStore({ path })));
  chmodSync(folder, 0o755);
  expect(error.fault).toBe("read_only");
  expect(error.message).toBe(
    `The store ${path} cannot be written; make the file and its folder writable or use another path.`,
  );
});

test("[G1] a full disk in mid-turn fails the barrier, keeps what was saved and lets the session go on later", async () => {
  const path = join(temporaryFolder(), "store.db");
  const database = openDatabase(path, 1_000);
  const store = storeOn(database, {});
  onTestFinished(() => store.close());
  const writer = (await store.open("s")).writer(() => undefined);
  const other = (await store.open("other")).writer(() => undefined);
  await save(writer, turnStart("t", 0, "hello"));
  // SQLite answers a file that may not grow with the same code as a disk that is full.
  const pages = Number(database.db.prepare("pragma page_count").get()?.["page_count"]);
  database.db.exec(`pragma max_page_count = ${pages + 2}`);
  const [big, small] = await Promise.all([
    faultOf(() => save(writer, reply(1, "x".repeat(200_000)))),
    save(other, turnStart("t2", 0, "small")),
  ]);
  expect(small).toBeUndefined();
  expect(big.fault).toBe("full");
  expect(big.message).toBe(`The disk is full, so nothing more can be saved in ${path}; free some space and try again.`);
  // What comes after the fault must not be stored without what came before it.
  expect((await faultOf(() => save(writer, turnEnd("x")))).fault).toBe("full");
  expect(store.history("s")).toHaveLength(1);

  database.db.exec("pragma max_page_count = 1000000");
  const again = await store.open("s");
  expect(again.openTurn).toHaveLength(1);
  await save(
    again.writer(() => undefined),
    reply(1, "x".repeat(200_000)),
    turnEnd("x"),
  );
  expect(store.turn("t")?.facts).toHaveLength(3);
});

test("[G1] one session's fault in a group is its own", async () => {
  const store = openSqliteStore({ path: join(temporaryFolder(), "store.db") });
  onTestFinished(() => store.close());
  const [a, b, c] = await Promise.all(
    ["a", "b", "c"].map(async (id) => (await store.open(id)).writer(() => undefined)),
  );
  if (a === undefined || b === undefined || c === undefined) throw new Error("not opened");
  const group = [
    save(a, turnStart("ta", 0, "one")),
    // Two messages in one place.
    faultOf(() => save(b, turnStart("tb", 0, "one"), reply(0, "again"))),
    save(c, turnStart("tc", 0, "one")),
  ];
  const [, fault] = await Promise.all(group);
  expect(fault).toMatchObject({ fault: "io" });
  expect(
    store
      .list()
      .map(({ sessionId }) => sessionId)
      .toSorted(),
  ).toStrictEqual(["a", "c"]);
});

test("[G1] the lock of another program is waited for without holding the loop, and given up in the end", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path, patienceMs: 150 });
  onTestFinished(() => store.close());
  const writer = (await store.open("s")).writer(() => undefined);
  const locking = new DatabaseSync(path);
  onTestFinished(() => locking.close());

  locking.exec("begin immediate");
  const saved = save(writer, turnStart("t", 0, "hello"));
  await new Promise((resolve) => setImmediate(resolve)); // behind the first try
  locking.exec("rollback");
  await saved;

  locking.exec("begin immediate");
  const error = await faultOf(() => save(writer, turnEnd("x")));
  expect(error.fault).toBe("locked");
  expect(error.message).toBe(`Another program keeps the store ${path} locked; close it and try again.`);
  expect((await faultOf(() => openSqliteStore({ path, patienceMs: 50 }))).fault).toBe("locked");
  expect(store.history("s")).toHaveLength(1);
  locking.exec("rollback");
  await save(
    (await store.open("s")).writer(() => undefined),
    turnEnd("x"),
  );
});

test("[A9] a sync that fails opens no barrier, and nothing is promised after it", async () => {
  const path = join(temporaryFolder(), "store.db");
  const database = openDatabase(path, 1_000);
  if (database.wal !== undefined) closeSync(database.wal);
  const store = storeOn({ ...database, wal: openSync("/dev/null", "r+") }, {}); // a device that cannot be synced
  onTestFinished(() => store.close());
  const writer = (await store.open("s")).writer(() => undefined);
  expect((await faultOf(() => save(writer, turnStart("t", 0, "hello")))).fault).toBe("io");
  expect((await faultOf(() => store.open("s"))).fault).toBe("io");
});

test("[G1] closing while another program keeps the file locked waits, then fails what could not be saved", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path, patienceMs: 50 });
  const writer = (await store.open("s")).writer(() => undefined);
  const locking = new DatabaseSync(path);
  onTestFinished(() => locking.close());
  locking.exec("begin immediate");
  const saved = faultOf(() => save(writer, turnStart("t", 0, "hello")));
  store.close();
  expect((await saved).fault).toBe("locked");
});
