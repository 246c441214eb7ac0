import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { Store } from "../../protocol/store.ts";
import { findBreaches } from "../../session/oracle/oracle.ts";
import { openSqliteStore } from "./store.ts";

const SECRET = "harbourmaster";
const CJK = "港口管理员办公室";

const openIn = (folder: string): Store => openSqliteStore({ path: join(folder, "evander.db") });

async function say(store: Store, sessionId: string, words: string, answer: string): Promise<void> {
  const session = await store.open(sessionId);
  const seq = session.history.length;
  await save(
    session.writer(() => undefined),
    turnStart(`${sessionId}-${seq}`, seq, words),
    reply(seq + 1, answer),
    turnEnd(answer),
  );
  session.release();
}

/** All bytes of all files of the store. */
const bytesOf = (folder: string): Buffer =>
  Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));

test("[G1] what rows left behind when the pages of the store were divided goes with their session", async () => {
  const folder = temporaryFolder();
  const store = openIn(folder);
  for (let round = 0; round < 40; round++)
    for (const [at, id] of ["kept", "gone", "other"].entries())
      await say(store, id, `${id}-${SECRET} `.repeat(1 + ((round * 7 + at) % 23)), `${id}-${SECRET}`);
  store.search(SECRET, 1);
  await store.remove("gone");
  expect(bytesOf(folder).includes(`gone-${SECRET}`)).toBe(false);
  expect(bytesOf(folder).includes(`kept-${SECRET}`)).toBe(true);
  store.close();
  expect(bytesOf(folder).includes(`gone-${SECRET}`)).toBe(false);
});

test("[G1] a removed session is gone from tables, search and disk, and the others are as they were", async () => {
  const folder = temporaryFolder();
  const store = openIn(folder);
  await say(store, "kept", "what about the harbour", "It is open.");
  await say(store, "gone", `tell the ${SECRET} of ${CJK}`, `The ${SECRET} knows.`);
  const child = await store.openChild("gone-child", { parent: "gone", purpose: "summary" });
  await save(child?.writer(() => undefined) ?? fail(), turnStart("c", 2, `sum up the ${SECRET}`));
  child?.release();
  expect(store.search(SECRET, 9)).toHaveLength(2);
  expect(store.search(CJK, 9)).toHaveLength(1);
  expect(bytesOf(folder).includes(SECRET)).toBe(true);
  expect(await store.remove("gone")).toBe(true);
  expect(bytesOf(folder).includes(SECRET)).toBe(false);
  expect(bytesOf(folder).includes(Buffer.from(CJK))).toBe(false);
  expect([store.search(SECRET, 9), store.search(CJK, 9), store.history("gone"), store.openTurns()]).toEqual([
    [],
    [],
    undefined,
    [],
  ]);
  expect(store.list().map(({ sessionId }) => sessionId)).toEqual(["kept"]);
  expect(store.search("harbour", 9)).toHaveLength(1);
  // The words that go with no message any more are not in the index either.
  expect(findBreaches(store)).toEqual([]);
  expect(await store.remove("gone")).toBe(false);
  // Row numbers are given out again, and what takes them is found.
  await say(store, "later", "a lighthouse", "燈塔管理員在這裡");
  expect(store.search("lighthouse", 9)).toMatchObject([{ sessionId: "later" }]);
  expect(store.search("燈塔管理員", 9)).toMatchObject([{ sessionId: "later" }]);
  store.close();
});

const fail = (): never => {
  throw new Error("there is no child");
};

test("[G1] a session that another process works in is not removed", async () => {
  const folder = temporaryFolder();
  const [ours, theirs] = [openIn(folder), openIn(folder)];
  await say(ours, "s", "hello", "Hi.");
  const held = await theirs.open("s");
  const fault = await faultOf(() => ours.remove("s"));
  expect(fault.fault).toBe("busy");
  expect(ours.history("s")).toHaveLength(2);
  held.release();
  theirs.close();
  expect(await ours.remove("s")).toBe(true);
  ours.close();
});

test("[G1] a writer whose session was removed and begun anew writes nothing into the new one", async () => {
  const folder = temporaryFolder();
  const store = openIn(folder);
  await say(store, "s", "hello", "Hi.");
  const stale = (await store.open("s")).writer(() => undefined);
  await store.remove("s");
  for (const words of ["anew", "and again", "and again"]) await say(store, "s", words, "Yes.");
  stale.append(turnStart("late", 2, "late"));
  expect((await faultOf(() => stale.barrier())).fault).toBe("lease_lost");
  expect(store.history("s")).toHaveLength(6);
  store.close();
});

test("[G1] a title that was given stays, whatever is said first", async () => {
  const store = openIn(temporaryFolder());
  await say(store, "s", "first words", "Hi.");
  expect(await store.rename("s", "My title")).toBe(true);
  expect(await store.rename("nobody", "x")).toBe(false);
  await say(store, "s", "more words", "Yes.");
  expect(store.list()).toMatchObject([{ title: "My title" }]);
  store.close();
});

const factsOfTurn = (n: number, words: string): Fact[] => [
  turnStart(`t${n}`, 2 * n, words),
  reply(2 * n + 1, words.toUpperCase()),
  turnEnd(words.toUpperCase()),
];

test("[G1] a session goes out and in without loss", async () => {
  const recordings = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(recordings, fc.boolean(), async (prompts, ended) => {
      const [from, to] = [openIn(temporaryFolder()), openIn(temporaryFolder())];
      const session = await from.open("s");
      const writer = session.writer(() => undefined);
      for (const [n, words] of prompts.entries()) await save(writer, ...factsOfTurn(n, words));
      if (!ended) await save(writer, turnStart("open", 2 * prompts.length, "unfinished"));
      session.release();
      const record = from.record("s");
      const taken = { sessionId: "s", title: "", createdMs: 0, ...record, facts: [...(record?.facts ?? [])] };
      expect(await to.restore(taken)).toBe(true);
      expect(await to.restore(taken)).toBe(false);
      const back = to.record("s");
      expect({ ...back, facts: [...(back?.facts ?? [])] }).toEqual(taken);
      expect(to.history("s")).toEqual(from.history("s"));
      expect(to.list()).toEqual(from.list());
      expect(to.openTurns().map(({ turnId }) => turnId)).toEqual(ended ? [] : ["open"]);
      expect(to.turn("last")?.facts).toEqual(from.turn("last")?.facts);
      from.close();
      to.close();
    }),
    { numRuns: 20 },
  );
});
