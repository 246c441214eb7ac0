import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { faultOf, reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import { type Message, userText } from "../../protocol/message.ts";
import type { Store } from "../../protocol/store.ts";
import { memoryStore } from "../memory.ts";
import { openSqliteStore } from "./store.ts";

const onDisk = (path = join(temporaryFolder(), "store.db")): Store => openSqliteStore({ path });
const kinds: readonly (readonly [string, () => Store])[] = [
  ["on disk", () => onDisk()],
  ["in memory", memoryStore],
];

function opened(make: () => Store): Store {
  const store = make();
  onTestFinished(() => store.close());
  return store;
}

const wholeTurn: readonly Fact[] = [
  { ...turnStart("t1", 0, "list it"), maxIterations: Infinity } as Fact,
  { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
  {
    type: "assistant-message",
    seq: 1,
    message: {
      role: "assistant",
      parts: [{ type: "tool-call", callId: "c1", name: "find", input: '{"q":"\\ud800"}' }],
    },
    finish: "tool_calls",
  },
  { type: "segment-start", callIds: ["c1"], effect: "effect" },
  {
    type: "receipt",
    seq: 2,
    message: { role: "tool", callId: "c1", status: "ok", parts: [{ type: "text", text: "a\0b" }] },
  },
  { type: "steer-accepted", steerId: "s1", text: "hurry" },
  { type: "steer-placed", seq: 2, part: 1, steer: { type: "steer", steerId: "s1", text: "hurry" } },
  { type: "injection-accepted", injectionId: "i1", text: "and this" },
  { type: "injection-delivered", injectionId: "i1", seq: 3, message: { ...userText("and this"), midTurn: true } },
  reply(4, "done 完成"),
  turnEnd("done 完成"),
];

test.each(kinds)("[G1 G2] a turn reads as it was recorded, and its messages as a history (%s)", async (_, make) => {
  const store = opened(make);
  const writer = (await store.open("s")).writer(() => undefined);
  for (const fact of wholeTurn) await save(writer, fact);

  expect(store.turn("t1")?.facts.map(({ fact }) => fact)).toStrictEqual(wholeTurn);
  expect(store.turn("last")?.sessionId).toBe("s");
  const history = store.history("s") ?? [];
  expect(history.map((message) => message?.role)).toStrictEqual(["user", "assistant", "tool", "user", "assistant"]);
  expect(history[2]?.parts.at(-1)).toStrictEqual({ type: "steer", steerId: "s1", text: "hurry" });
  expect(store.turn("t2")).toBeUndefined();
});

test.each(kinds)("[G5] sessions are listed newest first with what people know them by (%s)", async (_, make) => {
  const store = opened(make);
  const first = (await store.open("first")).writer(() => undefined);
  await save(first, turnStart("t1", 0, `  Read\nthe\tfile ${"x".repeat(100)}`), reply(1, "ok"), turnEnd("ok"));
  const second = (await store.open("second")).writer(() => undefined);
  await save(second, turnStart("t2", 0, "今天"), reply(1, "…"));
  await store.open("never written");

  const [newest, oldest, ...others] = store.list();
  expect(others).toStrictEqual([]);
  expect(newest).toMatchObject({ sessionId: "second", title: "今天", messages: 2, turns: 1, unfinished: true });
  expect(oldest).toMatchObject({ sessionId: "first", messages: 2, turns: 1, unfinished: false });
  expect(oldest?.title).toMatch(/^Read the file x+…$/u);
  expect(Array.from(oldest?.title ?? "")).toHaveLength(80);
  expect(newest?.createdMs).toBeLessThanOrEqual(newest?.updatedMs ?? 0);
  expect(store.lastSession()).toBe("second");
  expect(store.history("never written")).toBeUndefined();
});

test.each(kinds)("[G3] a turn that never ended is handed out with the history before it (%s)", async (_, make) => {
  const store = opened(make);
  const before: readonly Fact[] = [turnStart("t1", 0, "one"), reply(1, "1"), turnEnd("1")];
  const open: readonly Fact[] = [
    turnStart("t2", 2, "two"),
    { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
  ];
  const session = await store.open("s");
  // The end of one turn and the start of the next share a transaction here.
  await save(
    session.writer(() => undefined),
    ...before,
    ...open,
  );
  session.release();

  const again = await store.open("s");
  expect(again.history).toHaveLength(2);
  expect(again.openTurn).toStrictEqual(open);
  expect(store.turn("t1")?.facts.map(({ fact }) => fact)).toStrictEqual(before);
  const writer = again.writer(() => undefined);
  // The answer repeats text that an earlier life has stored.
  await save(writer, reply(3, "2"));
  again.release();
  await save(
    (await store.open("s")).writer(() => undefined),
    turnEnd("2"),
  );
  expect(store.turn("last")?.facts.at(-1)?.fact).toStrictEqual(turnEnd("2"));
  expect((await store.open("s")).openTurn).toStrictEqual([]);
});

test("[G1] imported history is stored once and read back", async () => {
  const store = opened(onDisk);
  const imported: Fact = { type: "history-imported", seq: 0, messages: [userText("old"), userText("older")] };
  await save(
    (await store.open("s")).writer(() => undefined),
    imported,
    turnStart("t", 2, "new"),
  );
  expect(store.history("s")?.map((message) => message?.parts)).toStrictEqual(
    ["old", "older", "new"].map((text) => [{ type: "text", text }]),
  );
  expect(store.list()[0]?.title).toBe("old");
});

test("[C5] pictures and opaque reasoning are kept as they came, and no search finds them", async () => {
  const store = opened(onDisk);
  const messages: Message[] = [
    { role: "user", parts: [{ type: "image", url: "https://h.test/harbour.png", detail: "low" }] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "", opaque: { thinking_blocks: [{ thinking: "harbour", signature: "c2ln" }] } },
        { type: "text", text: "a boat" },
      ],
    },
  ];
  await save(
    (await store.open("s")).writer(() => undefined),
    { type: "history-imported", seq: 0, messages },
    turnStart("t", 2, "next"),
  );
  expect(store.history("s")?.slice(0, 2)).toStrictEqual(messages);
  expect(store.search("harbour", 9)).toEqual([]);
  expect(store.search("boat", 9)).toHaveLength(1);
  expect(store.list()[0]?.title).toBe("next");
});

test("[A9] a barrier opens only after the commit, and all sessions of a tick share it", async () => {
  const flushes: (() => void)[] = [];
  const path = join(temporaryFolder(), "store.db");
  const store = opened(() => openSqliteStore({ path, defer: (flush) => flushes.push(flush) }));
  const tick = (): void => flushes.splice(0).forEach((flush) => flush());
  const opening = [store.open("a"), store.open("b")];
  tick();
  const committed: string[] = [];
  const writers = (await Promise.all(opening)).map((session) =>
    session.writer((facts) => committed.push(`${session.sessionId}${facts}`)),
  );
  const order: string[] = [];
  const saved = writers.map((writer, index) =>
    save(writer, turnStart(`t${index}`, 0, "hello"), reply(1, "x")).then(() => order.push("barrier")),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.lastSession()).toBeUndefined();
  expect(flushes).toHaveLength(1);
  order.push("tick");
  tick();
  await Promise.all(saved);
  expect(order).toStrictEqual(["tick", "barrier", "barrier"]);
  expect(committed).toStrictEqual(["a2", "b2"]);
});

test.each([
  ["four", "turn-start", false],
  ["four", "attempt-start", true],
  ["full", "attempt-start", false],
] as const)("[A9] sync %s: behind %s a barrier opens at the commit: %s", async (sync, type, atCommit) => {
  let flush = (): void => undefined;
  const path = join(temporaryFolder(), "store.db");
  const store = opened(() => openSqliteStore({ path, sync, defer: (next) => (flush = next) }));
  const opening = store.open("s");
  flush();
  const writer = (await opening).writer(() => undefined);
  writer.append(type === "turn-start" ? turnStart("t", 0, "x") : { type, attempt: 1, iteration: 1, model: "m" });
  const barriers = [writer.barrier()];
  flush();
  barriers.push(writer.barrier());
  const open: number[] = [];
  const gates = barriers.map((barrier, index) => barrier.then(() => open.push(index)));
  // A sync ends in a later turn of the event loop, a commit has ended already.
  for (let micro = 0; micro < 5; micro++) await Promise.resolve();
  expect(open).toHaveLength(atCommit ? 2 : 0);
  await Promise.all(gates);
});

test("[G2] closing saves what was appended; a closed store says so", async () => {
  const path = join(temporaryFolder(), "new", "folder", "store.db");
  const store = onDisk(path);
  const session = await store.open("s");
  const writer = session.writer(() => undefined);
  writer.append(turnStart("t", 0, "hello"));
  const barrier = writer.barrier();
  store.close();
  store.close();
  await barrier;
  writer.append(reply(1, "late"));
  expect((await faultOf(() => writer.barrier())).message).toContain("it is closed");
  expect((await faultOf(() => store.list())).fault).toBe("io");

  const again = opened(() => onDisk(path));
  expect((await again.open("s")).openTurn).toHaveLength(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..", "..")).mode & 0o777).toBe(0o700);
});

test("[G1] several stores read the same file while one writes", async () => {
  const path = join(temporaryFolder(), "store.db");
  const [writing, reading] = [opened(() => onDisk(path)), opened(() => onDisk(path))];
  await save(
    (await writing.open("s")).writer(() => undefined),
    turnStart("t", 0, "hello"),
  );
  expect(reading.history("s")).toHaveLength(1);
  expect(reading.search("hello", 5)).toHaveLength(1);
});

test("[G2] a save costs what it adds: at most 1.5 times the content and 2 KB an iteration", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = opened(() => onDisk(path));
  const writer = (await store.open("s")).writer(() => undefined);
  const rowBytes = (): number => {
    const db = new DatabaseSync(path, { readOnly: true });
    const sum =
      "select (select sum(length(cast(body as blob)) + 24) from message) + (select sum(length(cast(facts as blob)) + 24) from journal) as bytes";
    const bytes = Number(db.prepare(sum).get()?.["bytes"]);
    db.close();
    return bytes;
  };
  await save(writer, turnStart("t", 0, "hello"));
  for (let seq = 1; seq < 400; seq += 2) {
    const input = JSON.stringify({ path: "/some/where", text: 'const a = "b";\n'.repeat(20) });
    const output = `line ${seq}: "quoted"\n\tand 中文\n`.repeat(100);
    const before = rowBytes();
    await save(writer, { type: "attempt-start", attempt: seq, iteration: seq, model: "m" });
    const call = { type: "tool-call", callId: `call_${seq}`, name: "write_file", input } as const;
    await save(writer, {
      type: "assistant-message",
      seq,
      message: { role: "assistant", parts: [call] },
      finish: "tool_calls",
    });
    await save(writer, { type: "segment-start", callIds: [call.callId], effect: "pure" });
    const parts = [{ type: "text", text: output }] as const;
    await save(writer, {
      type: "receipt",
      seq: seq + 1,
      message: { role: "tool", callId: call.callId, status: "ok", parts },
    });
    const content = Buffer.byteLength(input) + Buffer.byteLength(output);
    expect(rowBytes() - before).toBeLessThanOrEqual(1.5 * content + 2_048);
  }
  const answer = "word ".repeat(20_000);
  const before = rowBytes();
  await save(writer, reply(401, answer), turnEnd(answer));
  expect(rowBytes() - before).toBeLessThanOrEqual(1.5 * answer.length + 2_048);
});

test("[G1] a store behind a link is the same store", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "real"));
  symlinkSync(join(folder, "real", "store.db"), join(folder, "link.db"));
  const store = opened(() => onDisk(join(folder, "link.db")));
  await save(
    (await store.open("s")).writer(() => undefined),
    turnStart("t", 0, "hello"),
  );
  expect(opened(() => onDisk(join(folder, "real", "store.db"))).history("s")).toHaveLength(1);
});
