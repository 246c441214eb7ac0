import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Store } from "../../protocol/store.ts";
import { machineMs } from "./lease-holder.ts";
import { openSqliteStore } from "./store.ts";

function opened(path: string, leaseClock: () => number = machineMs): Store {
  const store = openSqliteStore({ path, leaseClock });
  onTestFinished(() => store.close());
  return store;
}

function edit(path: string, sql: string, ...values: readonly string[]): void {
  const db = new DatabaseSync(path);
  db.prepare(sql).run(...values);
  db.close();
}

/** Another process that holds the session until it is killed. */
async function holder(path: string): Promise<{ pid: number; kill(): Promise<void> }> {
  const source = `
    import { openSqliteStore } from ${JSON.stringify(new URL("store.ts", import.meta.url).href)};
    await openSqliteStore({ path: process.argv[1] }).open("s");
    process.stdout.write("held\\n");
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const kill = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return { pid: child.pid ?? 0, kill };
}

test("[G2] a session another process holds is busy, and free at once when that process is killed", async () => {
  const path = join(temporaryFolder(), "store.db");
  const other = await holder(path);
  const store = opened(path);
  const error = await faultOf(() => store.open("s"));
  expect(error.fault).toBe("busy");
  expect(error.message).toBe(
    `Session s is in use by process ${other.pid} on ${hostname()}; wait until it has finished, or stop it.`,
  );
  await store.open("another session");
  await other.kill();
  expect((await store.open("s")).history).toStrictEqual([]);
});

test("[G2] a second store of this process is another holder; a released or closed session is free", async () => {
  const path = join(temporaryFolder(), "store.db");
  const [first, second] = [opened(path), opened(path)];
  const session = await first.open("s");
  expect((await faultOf(() => second.open("s"))).fault).toBe("busy");
  session.writer(() => undefined).append(turnStart("t", 0, "hello"));
  session.release();
  session.release();
  await first.open("behind the release");
  expect((await second.open("s")).openTurn).toHaveLength(1);
  expect((await faultOf(() => first.open("s"))).fault).toBe("busy");
  second.close();
  await first.open("s");
});

test("[G2] the store that holds a session may open it again; its earlier writer is fenced off and writes nothing", async () => {
  const store = opened(join(temporaryFolder(), "store.db"));
  const dropped = await store.open("s");
  const old = dropped.writer(() => undefined);
  await save(old, turnStart("t", 0, "hello"));
  const session = await store.open("s");
  dropped.release(); // gives nothing back: the lease is another one by now
  const error = await faultOf(() => save(old, reply(1, "old")));
  expect(error.fault).toBe("lease_lost");
  expect(error.message).toContain("open the session again");
  await save(
    session.writer(() => undefined),
    reply(1, "new"),
    turnEnd("new"),
  );
  expect(store.turn("t")?.facts.map(({ fact }) => fact.type)).toStrictEqual([
    "turn-start",
    "assistant-message",
    "turn-end",
  ]);
  expect(store.history("s")?.[1]).toMatchObject({ parts: [{ text: "new" }] });
});

test("[G2] a lease that ran out on another machine can be taken, and its holder is fenced off when it wakes up", async () => {
  const path = join(temporaryFolder(), "store.db");
  const [asleep, awake] = [opened(path), opened(path)];
  const writer = (await asleep.open("s")).writer(() => undefined);
  await save(writer, turnStart("t", 0, "hello"));
  edit(path, "update session set owner = ?", "elsewhere/1/x");
  expect((await faultOf(() => awake.open("s"))).fault).toBe("busy");
  edit(path, "update session set expires = 1");
  await save(
    (await awake.open("s")).writer(() => undefined),
    turnEnd("x"),
  );
  expect((await faultOf(() => save(writer, reply(1, "late")))).fault).toBe("lease_lost");
  expect(awake.history("s")).toHaveLength(1);
});

test("[G2] a lease is renewed as long as it is held, whatever an earlier holder gives back", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(temporaryFolder(), "store.db");
  let passedMs = 0;
  const clock = (): number => machineMs() + passedMs;
  const [store, other] = [opened(path, clock), opened(path, clock)];
  const dropped = await store.open("s");
  const session = await store.open("s");
  dropped.release();
  while (passedMs < 120_000) {
    passedMs += 10_000;
    vi.advanceTimersByTime(10_000);
    await store.open("behind the renewal");
  }
  expect((await faultOf(() => other.open("s"))).fault).toBe("busy");
  session.release();
  await store.open("behind the release");
  await other.open("s");
});

test.runIf(process.platform === "linux")(
  "[R8][G1] a killed process whose parent has not asked after it holds no session any more",
  async () => {
    const path = join(temporaryFolder(), "evander.db");
    const source = `
      import { openSqliteStore } from ${JSON.stringify(new URL("store.ts", import.meta.url).href)};
      await openSqliteStore({ path: process.argv[1] }).open("s");
      process.stdout.write(String(process.pid) + "\\n");
      setInterval(() => {}, 1_000);
    `;
    const script = '"$0" --input-type=module --eval "$1" "$2" & exec sleep 60';
    const parent = spawn("sh", ["-c", script, process.execPath, source, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [said] = (await once(parent.stdout, "data")) as [Buffer];
    const store = opened(path);
    expect(await faultOf(() => store.open("s"))).toMatchObject({ fault: "busy" });
    process.kill(Number(said.toString()), "SIGKILL");
    await vi.waitFor(() => store.open("s"), { timeout: 5_000 });
  },
);
