import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Store } from "../../protocol/store.ts";
import { isHeld, LEASE_MS, machineMs } from "./lease-holder.ts";
import { openSqliteStore } from "./store.ts";

function opened(path: string, leaseClock: () => number = machineMs): Store {
  const store = openSqliteStore({ path, leaseClock });
  onTestFinished(() => store.close());
  return store;
}

const YEARS = 10 * 365 * 86_400_000;

test("[R8][G2] property: whatever the clock on the wall does, a lease that is renewed is held, and no other one for longer than it runs", () => {
  const step = fc.record({
    passes: fc.integer({ min: 0, max: 9_999 }),
    jump: fc.constantFrom(0, 1_000, -1_000, 3_600_000, -3_600_000, YEARS, -YEARS),
    dies: fc.boolean(),
  });
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  fc.assert(
    fc.property(fc.integer({ min: 0, max: YEARS }), fc.array(step, { maxLength: 30 }), (since, steps) => {
      let now = since;
      let expires = now + LEASE_MS;
      let diedMs: number | undefined;
      for (const { passes, jump, dies } of steps) {
        now += passes;
        vi.setSystemTime(Date.now() + passes + jump);
        if (dies) diedMs ??= now;
        if (diedMs === undefined) expires = now + LEASE_MS;
        expect(isHeld(expires, now)).toBe(diedMs === undefined || now <= expires);
      }
      expect(isHeld(expires, (diedMs ?? now) + LEASE_MS + 10_000)).toBe(false);
      // The machine was started anew.
      expect(isHeld(expires + 2 * LEASE_MS, 5_000)).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test.each([1_000, -1_000, YEARS, -YEARS])(
  "[R8][G2] a clock on the wall that jumps by %i ms takes no session from who lives",
  async (jump) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(temporaryFolder(), "store.db");
    const [holder, other] = [opened(path), opened(path)];
    const writer = (await holder.open("s")).writer(() => undefined);
    await save(writer, turnStart("t", 0, "hello"));
    vi.setSystemTime(Date.now() + jump);
    expect((await faultOf(() => other.open("s"))).fault).toBe("busy");
    expect(other.openTurns()[0]?.owner?.alive).toBe(true);
    await save(writer, reply(1, "world"), turnEnd("world"));
    // Order is that of what was said, whatever the clock said.
    expect(other.history("s")?.map((message) => message?.role)).toEqual(["user", "assistant"]);
    expect(other.turn("last")?.facts.map(({ fact }) => fact.type)).toEqual([
      "turn-start",
      "assistant-message",
      "turn-end",
    ]);
  },
);

test("[R12][G2] a process that got the number of a dead one does not hold its session", async () => {
  const path = join(temporaryFolder(), "store.db");
  const [first, second] = [opened(path), opened(path)];
  await first.open("s");
  expect((await faultOf(() => second.open("s"))).fault).toBe("busy");
  const db = new DatabaseSync(path);
  const [, , , start] = String(db.prepare("select owner from session").get()?.["owner"]).split("/");
  // Where nobody says when a process was started, its lease has to run out.
  if (start !== "") {
    db.prepare("update session set owner = ?").run(`${hostname()}/${process.pid}/copied/1`);
    await second.open("s");
  }
  db.close();
});

/** Another process that holds the session `s`, and saves a reply each time a line comes. */
const HOLDER = `
  import { openSqliteStore } from ${JSON.stringify(new URL("store.ts", import.meta.url).href)};
  import { createInterface } from "node:readline";
  const session = await openSqliteStore({ path: process.argv[1] }).open("s");
  const writer = session.writer(() => {});
  const turn = { turnId: "t", seq: 0, model: "m", provider: "p", maxIterations: 9 };
  writer.append({ type: "turn-start", message: { role: "user", parts: [{ type: "text", text: "hello" }] }, ...turn });
  await writer.barrier();
  console.log("held");
  for await (const text of createInterface({ input: process.stdin })) {
    const message = { role: "assistant", parts: [{ type: "text", text }] };
    writer.append({ type: "assistant-message", seq: 1, message, finish: "stop" });
    console.log(await writer.barrier().then(() => "saved", (error) => error.fault));
  }
`;

test("[R12][G2] a holder that was stopped keeps its session until its lease runs out, and is fenced off when it wakes up", async () => {
  const path = join(temporaryFolder(), "store.db");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const said = async (): Promise<unknown> => (await once(lines, "line"))[0];
  expect(await said()).toBe("held");
  child.kill("SIGSTOP");
  let passedMs = 0;
  const other = opened(path, () => machineMs() + passedMs);
  const busy = await faultOf(() => other.open("s"));
  expect(busy.message).toContain(`in use by process ${child.pid} on ${hostname()}`);
  passedMs = LEASE_MS;
  const taken = await other.open("s");
  const next = said();
  child.kill("SIGCONT");
  child.stdin.write("late\n");
  expect(await next).toBe("lease_lost");
  await save(
    taken.writer(() => undefined),
    reply(1, "in time"),
    turnEnd("in time"),
  );
  expect(other.history("s")).toMatchObject([{ role: "user" }, { parts: [{ text: "in time" }] }]);
});
