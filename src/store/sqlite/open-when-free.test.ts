import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import { faultError } from "./errors.ts";
import { openWhenFree, type Waits } from "./open-when-free.ts";
import { openSqliteStore, storeOn } from "./store.ts";
import { openToRead } from "./to-read.ts";

/** Another program that keeps the file for itself, until it is told to let go. */
function foreignLock(path: string): { release(): void } {
  const locking = new DatabaseSync(path);
  onTestFinished(() => locking.close());
  locking.exec("begin exclusive");
  return { release: () => locking.exec("rollback") };
}

/** Time that passes by waiting alone; `at` is called when so much has passed. */
function virtualWaits(atMs: number, at: () => void): Waits & { passedMs: number } {
  const waits = {
    passedMs: 0,
    now: () => waits.passedMs,
    sleep: async (ms: number): Promise<void> => {
      const before = waits.passedMs;
      waits.passedMs += ms;
      if (before < atMs && waits.passedMs >= atMs) at();
    },
  };
  return waits;
}

async function filled(path: string): Promise<void> {
  const store = openSqliteStore({ path });
  const writer = (await store.open("s")).writer(() => undefined);
  await save(writer, turnStart("t", 0, "hello"), reply(1, "world"), turnEnd("world"));
  store.close();
}

test.each([100, 2_000, 6_000])("[R6] a store that is locked for %i ms is opened when it is free", async (heldMs) => {
  const path = join(temporaryFolder(), "store.db");
  await filled(path);
  const lock = foreignLock(path);
  const waits = virtualWaits(heldMs, () => lock.release());
  const store = await openWhenFree({ path }, waits);
  onTestFinished(() => store.close());
  expect(store.history("s")).toHaveLength(2);
  expect(waits.passedMs).toBeLessThan(heldMs + 50);
});

test("[R6] a store that is locked for a minute is given up after ten seconds, with a sentence that says why", async () => {
  const path = join(temporaryFolder(), "store.db");
  await filled(path);
  const lock = foreignLock(path);
  const waits = virtualWaits(60_000, () => lock.release());
  const error = await faultOf(() => openWhenFree({ path }, waits));
  expect(error.message).toBe(`Another program keeps the store ${path} locked; close it and try again.`);
  expect(waits.passedMs).toBe(10_000);
});

test.each([
  { heldMs: 100, ends: "saved" },
  { heldMs: 2_000, ends: "saved" },
  { heldMs: 6_000, ends: "saved" },
  { heldMs: 60_000, ends: "locked" },
])(
  "[R6][G1] a message waits beside the event loop for a lock that is held $heldMs ms: $ends",
  async ({ heldMs, ends }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(temporaryFolder(), "store.db");
    const store = openSqliteStore({ path });
    onTestFinished(() => store.close());
    const session = await store.open("s");
    const lock = foreignLock(path);
    setTimeout(() => lock.release(), heldMs);

    const saved = save(
      session.writer(() => undefined),
      turnStart("t", 0, "hello"),
    ).then(
      () => "saved",
      (error: { fault: string }) => error.fault,
    );
    await new Promise((resolve) => setImmediate(resolve)); // behind the first try
    expect(vi.getTimerCount()).toBe(2); // the lock's own, and the one that tries again
    await vi.advanceTimersByTimeAsync(heldMs + 10);
    expect(await saved).toBe(ends);
    expect(store.history("s") ?? []).toHaveLength(ends === "saved" ? 1 : 0);

    // Whoever was told that it failed says it again, and it is there once.
    if (ends === "saved") return;
    await save(
      (await store.open("s")).writer(() => undefined),
      turnStart("t", 0, "hello"),
    );
    expect(store.history("s")).toHaveLength(1);
  },
);

test.each(["with its log", "without a log"])("[R5][G1] a store that cannot be written is read, %s", async (how) => {
  const path = join(temporaryFolder(), "store.db");
  await filled(path);
  const writing = openSqliteStore({ path });
  onTestFinished(() => writing.close());
  if (how === "with its log") await writing.open("another");
  else writing.close();
  const refusal = faultError("full", path);
  const database = openToRead(path, refusal);
  if (database === undefined) throw new Error("it was not opened");
  const store = storeOn(database, {});
  expect(store.history("s")).toHaveLength(2);
  expect(store.turn("last")?.facts.at(-1)?.fact.type).toBe("turn-end");
  expect(store.search("world", 5)).toHaveLength(1);
  expect((await faultOf(() => store.open("s"))).message).toBe(refusal.message);
  store.close();
});

test("[R5][G1] a store is read while it cannot be written, and written as soon as it can be", async () => {
  const folder = join(temporaryFolder(), "kept");
  mkdirSync(folder);
  const path = join(folder, "store.db");
  await filled(path);
  // Everything that has begun stays open: rights are looked at when a file is opened. Root needs none.
  const { geteuid, seteuid } = process;
  if (geteuid === undefined || seteuid === undefined) return;
  for (const it of [folder, join(folder, "..")]) chmodSync(it, 0o555);
  chmodSync(path, 0o444);
  const isRoot = geteuid() === 0;
  if (isRoot) seteuid(65_534);
  const store = await openWhenFree({ path });
  onTestFinished(() => store.close());
  expect(store.history("s")).toHaveLength(2);
  expect((await faultOf(() => store.open("s"))).fault).toBe("read_only");
  if (isRoot) seteuid(0);
  for (const it of [folder, join(folder, "..")]) chmodSync(it, 0o755);
  chmodSync(path, 0o644);
  await save(
    (await store.open("s")).writer(() => undefined),
    turnStart("t2", 2, "again"),
  );
  expect(store.history("s")).toHaveLength(3);
});
