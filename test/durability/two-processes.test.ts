import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LEASE_MS, machineMs } from "../../src/store/sqlite/lease-holder.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { Place, resultOf } from "../scenario/program.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { assertSound } from "../support/sound.ts";
import { reply, save, turnEnd, turnStart } from "../support/store-world.ts";
import { delta, DONE, PAUSE, stream } from "../support/wire-script.ts";

interface World {
  readonly place: Place;
  readonly provider: EndlessProvider;
  readonly path: string;
}

/** A place for programs, and a provider each of whose answers waits until it is released. */
async function slowWorld(): Promise<World> {
  const place = new Place();
  const provider = new EndlessProvider(() => stream([PAUSE, delta({ content: "hello" }, "stop"), DONE]));
  onTestFinished(async () => {
    await provider.close();
    place.remove();
  });
  await provider.server.listen();
  return { place, provider, path: join(place.home, "evander.db") };
}

const ON = ["-p", "on", "--resume", "last", "--output", "json"];

test("[R12][G2] of two programs in one session the second is told who holds it, ends with 75, and takes over when that one is dead", async () => {
  const { place, provider, path } = await slowWorld();
  const { baseUrl } = provider.server;
  const first = place.start(baseUrl, ["-p", "go"]);
  await provider.server.paused();
  const refused = await place.run(baseUrl, ON);
  expect(refused.code).toBe(75);
  const { exit, error } = resultOf(refused);
  expect(exit).toMatchObject({ reason: "session_busy", code: 75 });
  expect(error?.message).toContain(`process ${first.pid} on ${hostname()}`);
  // Whoever only looks is not kept out.
  expect((await place.run(undefined, ["session", "list"])).stdout).toContain("go");
  first.child.kill("SIGKILL");
  await first.ended;
  const taken = place.start(baseUrl, ["session", "resume", "last", "--continue", "--output", "json"]);
  await provider.server.paused(2);
  provider.server.release();
  expect(resultOf(await taken.ended).answer).toBe("hello");
  assertSound(path, { acknowledged: ["go"], idle: true, ended: true });
});

test("[R12][X6] a store that another program writes is found sound by doctor --check", async () => {
  const { place, provider } = await slowWorld();
  const writing = place.start(provider.server.baseUrl, ["-p", "go", "--output", "json"]);
  await provider.server.paused();
  const checked = await place.run(undefined, ["doctor", "--check", "--json"]);
  expect(checked.code, checked.stdout + checked.stderr).toBe(0);
  provider.server.release();
  expect(resultOf(await writing.ended).answer).toBe("hello");
});

test("[R12][G2] a program that was stopped keeps its session until its lease runs out; when it wakes up it ends, and has written nothing more", async () => {
  const { place, provider, path } = await slowWorld();
  const { baseUrl } = provider.server;
  const holder = place.start(baseUrl, ["-p", "go", "--output", "json"]);
  await provider.server.paused();
  holder.child.kill("SIGSTOP");
  expect((await place.run(baseUrl, ON)).code).toBe(75);
  // Thirty seconds later: the session is free for the next program.
  const later = openSqliteStore({ path, leaseClock: () => machineMs() + LEASE_MS });
  await later.open(later.list()[0]?.sessionId ?? "");
  later.close();
  const taken = place.start(baseUrl, ["session", "resume", "last", "--continue", "--output", "json"]);
  await provider.server.paused(2);
  provider.server.release();
  expect(resultOf(await taken.ended).answer).toBe("hello");
  holder.child.kill("SIGCONT");
  const { exit, error } = resultOf(await holder.ended);
  expect(exit).toMatchObject({ reason: "store_unavailable", code: 73 });
  expect(error?.message).toContain("was taken over by another writer");
  assertSound(path, { acknowledged: ["go"], idle: true, ended: true });
});

/** Of 1,000 of security.md R12, in each of two processes. */
const OPENINGS = 500;

const TEXT = "x".repeat(2_000);

/** Opens and closes a store again and again, and reads in it; any fault ends it. */
const HELPER = `
  import { openSqliteStore } from ${JSON.stringify(new URL("../../src/store/sqlite/store.ts", import.meta.url).href)};
  for (let n = 0; n < ${OPENINGS}; n++) {
    const store = openSqliteStore({ path: process.argv[1] });
    if (store.turn("last") === undefined) throw new Error("Nothing is found.");
    store.close();
  }
`;

const startHelper = (path: string): ChildProcess =>
  spawn(process.execPath, ["--input-type=module", "--eval", HELPER, path], { stdio: ["ignore", "ignore", "inherit"] });

test("[R12][G1][X6] a thousand openings beside a writer that lives harm nothing, and none fails", async () => {
  const place = new Place();
  onTestFinished(() => place.remove());
  const path = join(place.folder, "store.db");
  const store = openSqliteStore({ path });
  const writer = (await store.open("s")).writer(() => undefined);
  const turn = async (nth: number): Promise<void> => {
    await save(writer, turnStart(`t${nth}`, 2 * nth, `hello ${nth}`), reply(2 * nth + 1, TEXT), turnEnd(TEXT));
  };
  await turn(0);
  const helpers = [startHelper(path), startHelper(path)];
  onTestFinished(() => helpers.forEach((helper) => void helper.kill("SIGKILL")));
  let running = helpers.length;
  const codes = helpers.map(async (helper) => {
    const [code] = (await once(helper, "exit")) as [number | null];
    running--;
    return code;
  });
  let turns = 1;
  for (; running > 0; turns++) {
    await turn(turns);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(codes)).toEqual([0, 0]);
  expect(store.history("s")).toHaveLength(2 * turns);
  store.close();
  assertSound(path, { idle: true, ended: true });
  assert.ok(turns > 1);
});
