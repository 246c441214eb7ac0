import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import { type Message, textOf } from "../../protocol/message.ts";
import type { Store } from "../../protocol/store.ts";
import { findBreaches } from "../../session/oracle/oracle.ts";
import { openSqliteStore } from "./store.ts";

const path = (): string => join(temporaryFolder(), "store.db");
function opened(at: string): Store {
  const store = openSqliteStore({ path: at });
  onTestFinished(() => store.close());
  return store;
}

const texts = (store: Store, id: string): (string | undefined)[] =>
  (store.history(id) ?? []).map((message: Message | undefined) => message && textOf(message));

async function add(store: Store, id: string, facts: (seq: number) => readonly Fact[]): Promise<void> {
  const session = await store.open(id);
  await save(
    session.writer(() => undefined),
    ...facts(session.history.length),
  );
  session.release();
}

const say = (store: Store, id: string, words: string, answer: string): Promise<void> =>
  add(store, id, (seq) => [turnStart(`${id}-${seq}`, seq, words), reply(seq + 1, answer), turnEnd(answer)]);

const call = (seq: number, ...ids: readonly string[]): Fact => ({
  type: "assistant-message",
  seq,
  message: {
    role: "assistant",
    parts: ids.map((callId) => ({ type: "tool-call", callId, name: "look", input: "{}" })),
  },
  finish: "tool_calls",
});

const receipt = (seq: number, callId: string): Fact => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status: "ok", parts: [{ type: "text", text: `of ${callId}` }] },
});

/** Two calls between words, as seq 0 to 4, then another exchange. */
async function withCalls(store: Store, id: string): Promise<void> {
  await add(store, id, () => [
    turnStart("t1", 0, "look twice"),
    call(1, "a", "b"),
    receipt(2, "a"),
    receipt(3, "b"),
    reply(4, "seen"),
    turnEnd("seen"),
  ]);
  await say(store, id, "and now", "nothing");
}

const rowsIn = (at: string): number => {
  const db = new DatabaseSync(at, { readOnly: true });
  const count = Number(db.prepare("select count(*) as n from message").get()?.["n"]);
  db.close();
  return count;
};

test("[G5] a fork begins with what it shares, keeps it once, and neither knows what the other says from there on", async () => {
  const at = path();
  const store = opened(at);
  await say(store, "p", "one", "first");
  await say(store, "p", "two", "second");
  const fork = await store.fork("f", { from: "p", at: 2 });
  expect(fork).toEqual({ sessionId: "f", from: "p", at: 2, title: "one #2" });
  await say(store, "f", "other", "another");
  await say(store, "p", "three", "third");
  expect(texts(store, "f")).toEqual(["one", "first", "other", "another"]);
  expect(texts(store, "p")).toEqual(["one", "first", "two", "second", "three", "third"]);
  expect(rowsIn(at)).toBe(6 + 2);
  expect(store.list()).toMatchObject([
    { sessionId: "p", messages: 6, forkOf: null },
    { sessionId: "f", messages: 4, turns: 1, forkOf: { sessionId: "p", at: 2 }, pinned: false },
  ]);
  expect(await store.fork("g", { from: "f", title: "mine" })).toMatchObject({ at: 4, title: "mine" });
  expect(await store.fork("h", { from: "p" })).toMatchObject({ at: 6, title: "one #3" });
  expect(await store.fork("i", { from: "none" })).toBeUndefined();
});

test("[G5] a fork is there at once, and its beginning is found once", async () => {
  const store = opened(path());
  await say(store, "p", "where is the harbour", "there");
  await store.fork("f", { from: "p" });
  expect(store.lastSession()).toBe("f");
  expect((await store.open("f")).openTurn).toEqual([]);
  expect(store.search("harbour", 9)).toMatchObject([{ sessionId: "p", seq: 0 }]);
});

test("[G5][D12] no call is parted from its receipts, and no message of the user from its answer", async () => {
  const store = opened(path());
  await withCalls(store, "p");
  const places: number[] = [];
  for (let at = 0; at <= 8; at++) places.push((await store.fork(`f${at}`, { from: "p", at }))?.at ?? -1);
  expect(places).toEqual([0, 0, 0, 0, 4, 5, 5, 7, 7]);
  expect(texts(store, "f4")).toEqual(["look twice", "", "of a", "of b"]);
});

test("[G5][G3] a session is forked while a turn runs in it: what that turn brings stays its own", async () => {
  const store = opened(path());
  await say(store, "p", "one", "first");
  const parent = await store.open("p");
  const writer = parent.writer(() => undefined);
  await save(writer, turnStart("t", 2, "running"), reply(3, "half"));
  const other = await store.fork("f", { from: "p" });
  expect(other?.at).toBe(2);
  await save(writer, turnEnd("half"));
  expect(texts(store, "f")).toEqual(["one", "first"]);
  expect((await store.fork("g", { from: "p" }))?.at).toBe(4);
});

test("[G5][F3] a fork sends what was sent at its place", async () => {
  const store = opened(path());
  const upTo = (through: number) => ({ through, from: 0, instruction: 0, cutBefore: 0 });
  await say(store, "p", "one", "first");
  await add(store, "p", () => [{ type: "history-compacted", compaction: upTo(2) }]);
  await say(store, "p", "two", "second");
  await add(store, "p", () => [{ type: "history-compacted", compaction: upTo(4) }]);
  await store.fork("late", { from: "p" });
  await store.fork("between", { from: "p", at: 2 });
  await store.fork("deep", { from: "late", at: 2 });
  await store.fork("start", { from: "p", at: 0 });
  const sent = async (id: string): Promise<number | undefined> => (await store.open(id)).compaction?.through;
  expect([await sent("late"), await sent("between"), await sent("deep"), await sent("start")]).toEqual([
    4,
    2,
    2,
    undefined,
  ]);
});

test("[G5][G1] forks keep what they share when the session they left is removed, and are found by it", async () => {
  const at = path();
  const store = opened(at);
  await withCalls(store, "p");
  await store.fork("short", { from: "p", at: 5 });
  await store.fork("long", { from: "p" });
  await say(store, "long", "more", "said");
  const before = { short: texts(store, "short"), long: texts(store, "long") };
  expect(await store.remove("p")).toBe(true);
  expect({ short: texts(store, "short"), long: texts(store, "long") }).toEqual(before);
  expect(store.history("p")).toBeUndefined();
  expect(rowsIn(at)).toBe(9);
  expect(store.list()).toMatchObject([
    { sessionId: "long", messages: 9, forkOf: null },
    { sessionId: "short", messages: 5, forkOf: { sessionId: "long", at: 5 } },
  ]);
  expect(store.search("look twice", 9)).toMatchObject([{ sessionId: "long", seq: 0 }]);
  await say(store, "short", "go on", "gladly");
  expect(texts(store, "short").slice(-2)).toEqual(["go on", "gladly"]);
  const facts = [...(store.record("long")?.facts ?? [])].map(({ fact }) => fact.type);
  expect(facts.slice(0, 3)).toEqual(["session-forked", "history-imported", "turn-start"]);
});

test("[G5] a fork in the middle of a line of forks goes, and what left it stays whole", async () => {
  const store = opened(path());
  await say(store, "a", "one", "first");
  await store.fork("b", { from: "a" });
  await say(store, "b", "two", "second");
  await store.fork("c", { from: "b" });
  await store.fork("d", { from: "b", at: 1 });
  await store.remove("b");
  expect(texts(store, "c")).toEqual(["one", "first", "two", "second"]);
  expect(store.list().map(({ sessionId, forkOf }) => [sessionId, forkOf])).toEqual([
    ["d", { sessionId: "c", at: 0 }],
    ["c", { sessionId: "a", at: 2 }],
    ["a", null],
  ]);
  await store.remove("a");
  expect(texts(store, "c")).toEqual(["one", "first", "two", "second"]);
});

test("[G5][G1] a fork is taken elsewhere whole, and shares again where its parent stands", async () => {
  const [from, to, alone] = [opened(path()), path(), path()];
  await withCalls(from, "p");
  await from.fork("f", { from: "p", at: 5 });
  await say(from, "f", "else", "where");
  const records = ["p", "f"].map((id) => {
    const record = from.record(id);
    if (record === undefined) throw new Error("not kept");
    return { ...record, facts: [...record.facts] };
  });
  const both = opened(to);
  for (const record of records) expect(await both.restore(record)).toBe(true);
  expect(texts(both, "f")).toEqual(texts(from, "f"));
  expect(both.list()[0]?.forkOf).toEqual({ sessionId: "p", at: 5 });
  expect([...(both.record("f")?.facts ?? [])]).toEqual(records[1]?.facts);
  expect(rowsIn(to)).toBe(9);
  const one = opened(alone);
  for (const record of records.slice(1)) await one.restore(record);
  expect(texts(one, "f")).toEqual(texts(from, "f"));
  expect([...(one.record("f")?.facts ?? [])]).toEqual(records[1]?.facts);
});

test("[G1] a pin is kept with the session", async () => {
  const store = opened(path());
  await say(store, "p", "one", "first");
  expect(await store.pin("p", true)).toBe(true);
  expect(store.list()).toMatchObject([{ pinned: true }]);
  expect(await store.pin("p", false)).toBe(true);
  expect(store.list()).toMatchObject([{ pinned: false }]);
  expect(await store.pin("none", true)).toBe(false);
});

test("[G5][X6] a fork that has lost what it begins with is told of", async () => {
  const at = path();
  const store = opened(at);
  await say(store, "s", "one", "two");
  await store.fork("f", { from: "s" });
  const db = new DatabaseSync(at);
  const breaches = (sql: string): string[] => {
    db.exec(sql);
    return findBreaches(store).map(({ kind }) => kind);
  };
  expect(breaches("update session set shared = 1 where key = 'f'")).toEqual(["place-gap"]);
  expect(breaches("update session set shared = null, parent = null where key = 'f'")).toEqual(["place-gap"]);
  expect(breaches("update session set shared = 2, parent = id where key = 'f'")).toEqual(["parent-missing"]);
  expect(breaches("update session set parent = 1 where key = 'f'")).toEqual([]);
  db.close();
});

test("[G5] a fork is called by the first number that is free", async () => {
  const store = opened(path());
  await say(store, "s", "one", "two");
  await store.rename("s", "Trip #2");
  await store.fork("f", { from: "s", title: "Trip #3" });
  expect(await store.fork("g", { from: "s" })).toMatchObject({ title: "Trip #4" });
  await store.rename("f", "Trip #30");
  expect(await store.fork("h", { from: "s" })).toMatchObject({ title: "Trip #3" });
});
