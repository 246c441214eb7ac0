import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bench } from "../support/agent-in-folder.ts";
import { say } from "../support/wire-script.ts";

const files = (folder: string): string[] => readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());

test("[CRASH-01] a torn tail loses nothing that was committed before it, and the next record follows it", async () => {
  await using on = await bench(say("one"), say("two"), say("three"));
  const living = on.agent();
  await living.run("first", { sessionId: "s" });
  const whole = statSync(join(on.folder, "evander.db-wal")).size;
  await living.run("second", { sessionId: "s" });
  // What a power cut leaves: the files of a living process, the log torn in the middle of its last pages.
  const torn = join(on.folder, "torn");
  mkdirSync(torn);
  for (const name of files(on.folder).filter((each) => !each.endsWith("-shm")))
    copyFileSync(join(on.folder, name), join(torn, name));
  const wal = join(torn, "evander.db-wal");
  truncateSync(wal, whole + Math.floor((statSync(wal).size - whole) / 2) + 7);
  const next = on.agent({ store: torn });
  const texts = JSON.stringify(next.store.history("s"));
  expect(texts).toContain("first");
  expect(texts).toContain("one");
  // The session itself still belongs to the process that lives on; a new one is written behind the torn place.
  expect((await next.run("third", { sessionId: "t" })).completed).toBe(true);
  await next.close();
  const again = on.agent({ store: torn }).store;
  expect(again.history("t")).toHaveLength(2);
  expect(JSON.stringify(again.history("s"))).toBe(texts);
});

test("[CRASH-05] a store that cannot be read is not an empty one: it is refused and left as it is", async () => {
  await using on = await bench(say("one"));
  const bot = on.agent();
  await bot.run("first", { sessionId: "s" });
  await bot.close();
  const path = join(on.folder, "evander.db");
  const good = readFileSync(path);
  const bad = Buffer.from(good);
  bad.fill(0xaa, 0, Math.min(4096, bad.length));
  writeFileSync(path, bad);
  expect(() => on.agent()).toThrow(/evander\.db/);
  expect(readFileSync(path).equals(bad)).toBe(true);
  writeFileSync(path, good);
  expect(JSON.stringify(on.agent().store.history("s"))).toContain("first");
});

test("[DB-01] a lock that somebody else holds for a while delays a turn, and loses nothing", async () => {
  await using on = await bench(say("one"), say("two"));
  const bot = on.agent();
  await bot.run("first", { sessionId: "s" });
  const other = new DatabaseSync(join(on.folder, "evander.db"));
  other.exec("begin immediate");
  const waiting = bot.run("second", { sessionId: "s" });
  for (let tick = 0; tick < 5; tick++) await new Promise((resolve) => setImmediate(resolve));
  expect(on.provider.requests).toHaveLength(1);
  other.exec("rollback");
  other.close();
  expect((await waiting).answer).toBe("two");
  expect(bot.store.history("s")).toHaveLength(4);
});
