import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import { type Message, textOf, userText, withContext } from "../../protocol/message.ts";
import type { Compaction } from "../../protocol/projection/compaction.ts";
import type { Store, StoredSession } from "../../protocol/store.ts";
import { openSqliteStore } from "./store.ts";

const path = (): string => join(temporaryFolder(), "store.db");
function opened(at: string): Store {
  const store = openSqliteStore({ path: at });
  onTestFinished(() => store.close());
  return store;
}

const texts = (history: readonly (Message | undefined)[] | undefined): (string | undefined)[] =>
  (history ?? []).map((message) => message && textOf(message));
const upTo = (through: number): Compaction => ({ through, from: 0, instruction: 0, cutBefore: 0 });

async function childOf(store: Store, parent: string, name: string): Promise<StoredSession> {
  const child = await store.openChild(name, { parent, purpose: "review" });
  if (child === undefined) throw new Error("no such parent");
  return child;
}

test("[I3][G5] a child begins with its parent's past, keeps only what it adds, and reads the same after a restart", async () => {
  const at = path();
  const store = opened(at);
  const parent = await store.open("p");
  const writer = parent.writer(() => undefined);
  await save(writer, turnStart("t1", 0, "a"), reply(1, "same"), turnEnd("same"));
  const child = await childOf(store, "p", "c");
  expect(child).toMatchObject({ nonce: parent.nonce, openTurn: [], compaction: undefined });
  // Its answer is the very text of its parent's newest: a place in the past is no place of its own.
  await save(
    child.writer(() => undefined),
    turnStart("r", 2, "review"),
    reply(3, "same"),
    turnEnd("same"),
  );
  await save(writer, turnStart("t2", 2, "b"), reply(3, "two"), turnEnd("two"));
  const grandchild = await childOf(store, "c", "g");
  expect(texts(grandchild.history)).toEqual(["a", "same", "review", "same"]);
  await save(
    grandchild.writer(() => undefined),
    turnStart("rr", 4, "again"),
  );
  store.close();

  const later = opened(at);
  expect(texts(later.history("c"))).toEqual(["a", "same", "review", "same"]);
  expect(texts(later.history("p"))).toEqual(["a", "same", "b", "two"]);
  expect(texts((await later.open("g")).history)).toEqual(["a", "same", "review", "same"]);
  expect((await later.open("g")).openTurn).toEqual([turnStart("rr", 4, "again")]);
  expect(later.turn("r")?.facts.map(({ fact }) => fact)).toEqual([
    turnStart("r", 2, "review"),
    reply(3, "same"),
    turnEnd("same"),
  ]);
  expect(later.list().map(({ sessionId }) => sessionId)).toEqual(["p"]);
  const db = new DatabaseSync(at, { readOnly: true });
  expect(db.prepare("select count(*) as n from message").get()?.["n"]).toBe(4 + 2 + 1);
  db.close();
});

test("[I3][D14] what a parent has stopped sending its child does not send, but for what a turn that runs has just left out", async () => {
  const store = opened(path());
  const writer = (await store.open("p")).writer(() => undefined);
  await save(writer, turnStart("t1", 0, "a"), reply(1, "one"), { type: "history-compacted", compaction: upTo(2) });
  expect(await childOf(store, "p", "early")).toMatchObject({ history: [], compaction: undefined });
  await save(writer, turnEnd("one"));
  expect((await childOf(store, "p", "c")).compaction).toEqual(upTo(2));
  await save(writer, turnStart("t2", 2, "b"), { type: "history-compacted", compaction: upTo(3) });
  const child = await childOf(store, "p", "d");
  expect([texts(child.history), child.compaction]).toEqual([["a", "one"], undefined]);
  expect(await store.openChild("e", { parent: "none", purpose: "review" })).toBeUndefined();
});

test("[I3][C18] what a parent has learnt of its models its child knows, but for what a turn that runs is learning", async () => {
  const store = opened(path());
  const writer = (await store.open("p")).writer(() => undefined);
  const learnt = { "p/m": { streaming: false } } as const;
  const adjusted = { type: "request-adjusted", adjustment: { streaming: false }, learnt } as const;
  await save(writer, turnStart("t1", 0, "a"), adjusted);
  expect((await childOf(store, "p", "early")).learnt).toBeUndefined();
  await save(writer, reply(1, "one"), turnEnd("one"));
  expect((await childOf(store, "p", "c")).learnt).toEqual(learnt);
});

test("[J6][A11] what others have added to the messages of a parent its child reads too, so that it sends the same bytes", async () => {
  const store = opened(path());
  const writer = (await store.open("p")).writer(() => undefined);
  const tea = { type: "context", source: "memory", text: "likes tea" } as const;
  const said = withContext(userText("a"), [tea]);
  const first = { ...turnStart("t1", 0, "a"), message: said } as Fact;
  await save(
    writer,
    first,
    { type: "context-added", seq: 0, part: 2, contexts: [tea, tea] },
    reply(1, "b"),
    turnEnd("b"),
  );
  const child = await childOf(store, "p", "c");
  expect(child.history[0]).toEqual(withContext(said, [tea, tea]));
  expect(texts(child.history)).toEqual(["a", "b"]);
  expect(store.history("p")?.[0]?.parts).toHaveLength(4);
  await save(
    child.writer(() => undefined),
    turnStart("r", 2, "review"),
  );
  expect(store.history("c")?.[0]).toEqual(withContext(said, [tea, tea]));
});
