import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { FoundSession, SessionsAsked } from "../../protocol/session-search.ts";
import type { Store } from "../../protocol/store.ts";
import { memoryStore } from "../memory.ts";
import { openSqliteStore } from "./store.ts";

function inMemory(): Store {
  const store = memoryStore();
  onTestFinished(() => store.close());
  return store;
}

/** A session in which this was said, by the user and the model in turn. */
async function tell(store: Store, sessionId: string, ...said: readonly string[]): Promise<void> {
  const stored = await store.open(sessionId);
  const from = stored.history.length;
  await save(
    stored.writer(() => undefined),
    ...said.map((text, n) =>
      n % 2 === 0 ? turnStart(`${sessionId}-${from + n}`, from + n, text) : reply(from + n, text),
    ),
    turnEnd(said.at(-1) ?? ""),
  );
  stored.release();
}

const find = (store: Store, query: string, more: Partial<SessionsAsked> = {}): FoundSession[] =>
  store.searchSessions({ query, sessions: 10, hits: 3, ...more });

const ids = (found: readonly FoundSession[]): string[] => found.map(({ sessionId }) => sessionId);

test("[G1] what was said is grouped by session, the best first, with the best places of each", async () => {
  const store = inMemory();
  await tell(
    store,
    "long",
    `harbour ${"and much else ".repeat(60)}`,
    "no",
    `again the harbour, at length: ${"and more ".repeat(60)}`,
    "so",
  );
  await tell(store, "short", "the harbour", "The harbour is closed.");
  for (let n = 0; n < 9; n++) await tell(store, `other-${n}`, "the lighthouse", "It is open.");
  const found = find(store, "harbour");
  expect(ids(found)).toEqual(["short", "long"]);
  expect(found[0]).toMatchObject({ title: "the harbour", messages: 2, found: 2 });
  expect(found[0]?.updatedMs).toBeGreaterThanOrEqual(found[0]?.createdMs ?? Infinity);
  expect(found[1]?.hits.map(({ seq }) => seq).toSorted()).toEqual([0, 2]);
  expect(find(store, "harbour", { sessions: 1, hits: 1 })).toMatchObject([{ hits: [{ seq: 0, role: "user" }] }]);
  expect(find(store, "nowhere")).toEqual([]);
  expect(find(store, "*")).toEqual([]);
});

test("[G1] a query takes AND, OR, NOT and phrases, also between words and characters of scripts without spaces", async () => {
  const store = inMemory();
  await tell(store, "a", "build the parser for 编译器 today");
  await tell(store, "b", "build the 词典 tomorrow");
  await tell(store, "c", "nothing but 编译器和词典");
  const where = (query: string): string[] => ids(find(store, query)).toSorted();
  expect(where("build OR 编译器")).toEqual(["a", "b", "c"]);
  expect(where("编译器 build")).toEqual(["a"]);
  expect(where("编译器 NOT parser")).toEqual(["c"]);
  expect(where("build NOT 词典")).toEqual(["a"]);
  expect(where("编译器 AND 词典 OR tomorrow")).toEqual(["b", "c"]);
  expect(where('"build the" NOT tod*')).toEqual(["b"]);
  expect(where("译器和词")).toEqual(["c"]);
  expect(where("译和器")).toEqual([]);
  expect(where("典")).toEqual(["b", "c"]);
});

test("[G1] hidden sessions are not found; those that share a beginning are one, and go together", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  await tell(store, "trunk", "the harbour", "It is closed.");
  await tell(store, "apart", "another harbour", "Open.");
  const child = await store.openChild("branch", { parent: "trunk", purpose: "review" });
  if (child === undefined) throw new Error("no such parent");
  await save(
    child.writer(() => undefined),
    turnStart("t", 2, "harbour harbour harbour"),
    turnEnd(""),
  );
  child.release();
  expect(
    find(store, "harbour")
      .flatMap(({ hits }) => hits.map(({ sessionId }) => sessionId))
      .toSorted(),
  ).toEqual(["apart", "trunk"]);
  expect(store.said("branch", 0, 9)).toBeUndefined();
  // As a branch that people see would be kept; what is seen is indexed when it is new.
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  db.exec("update session set purpose = null where key = 'branch'");
  await tell(store, "branch", "and the harbour now?", "Open again: harbour.");
  const both = find(store, "harbour");
  expect(ids(both).filter((id) => id !== "apart")).toHaveLength(1);
  expect(find(store, "harbour", { beside: "branch" })).toMatchObject([{ sessionId: "apart" }]);
  expect(find(store, "harbour", { beside: "trunk" })).toMatchObject([{ sessionId: "apart" }]);
  expect(find(store, "harbour", { within: "trunk", hits: 9 })[0]?.hits).toHaveLength(3);
  expect(store.said("branch", 0, 3)).toMatchObject({
    size: 5,
    messages: [{ text: "the harbour" }, { text: "It is closed." }, { text: "harbour harbour harbour" }, { seq: 3 }],
  });
});

test("[G1] a word that stands everywhere in the session that asks hides no other", async () => {
  const store = inMemory();
  await tell(store, "before", "a harbour", "yes");
  await tell(store, "own", ...Array.from({ length: 2_400 }, (_, n) => `harbour ${n}`));
  await tell(store, "after", "one harbour more", "yes");
  expect(ids(find(store, "harbour", { beside: "own" })).toSorted()).toEqual(["after", "before"]);
  expect(find(store, "harbour", { within: "before" })).toMatchObject([{ sessionId: "before", found: 1 }]);
  expect(find(store, "harbour", { within: "nobody" })).toEqual([]);
});

test("[G1] what another process keeps the index from is read: the same is found, and nobody is waited for", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path });
  const other = new DatabaseSync(path);
  onTestFinished(() => {
    store.close();
    other.close();
  });
  const word = fc.constantFrom(
    ..."the build Build naïve naive parser.ts a_b 错误 错误信息 误信 ビルド 🎉 café 50% it's x".split(" "),
  );
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
  const operator = fc.constantFrom(" ", " AND ", " OR ", " NOT ", "* ");
  const query = fc.array(fc.tuple(word, operator), { minLength: 1, maxLength: 4 }).map((parts) =>
    parts
      .map(([each, between]) => each + between)
      .join("")
      .trim(),
  );
  let session = 0;
  await fc.assert(
    fc.asyncProperty(text, fc.array(query, { minLength: 1, maxLength: 6 }), async (said, queries) => {
      const id = `s${session++}`;
      await tell(store, id, said);
      const found = (): string[] =>
        queries.filter((each) => store.search(each, 1_000).some(({ sessionId }) => sessionId === id));
      other.exec("begin immediate");
      const read = found();
      other.exec("rollback");
      expect(found()).toEqual(read);
    }),
    { numRuns: 150 },
  );
});

test("[G1 A11] what was said in a stretch names tools, and holds neither arguments, reasoning nor what others added", async () => {
  const store = inMemory();
  const stored = await store.open("s");
  await save(
    stored.writer(() => undefined),
    turnStart("t", 0, "look"),
    { type: "context-added", seq: 0, part: 1, contexts: [{ type: "context", source: "clock", text: "noon" }] },
    {
      type: "assistant-message",
      seq: 1,
      message: {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "secretthought" },
          { type: "tool-call", callId: "c", name: "grep", input: '{"q":"argumentword"}' },
        ],
      },
      finish: "tool_calls",
    },
    {
      type: "receipt",
      seq: 2,
      message: { role: "tool", callId: "c", status: "ok", parts: [{ type: "text", text: "a.ts" }] },
    },
    { type: "steer-placed", seq: 2, part: 1, steer: { type: "steer", steerId: "x", text: "faster" } },
    reply(3, "Done."),
  );
  expect(store.said("s", 0, 2)).toEqual({
    size: 4,
    messages: [
      { seq: 0, role: "user", text: "look", tools: [] },
      { seq: 1, role: "assistant", text: "", tools: ["grep"] },
      { seq: 2, role: "tool", text: "a.ts", tools: ["grep"] },
      { seq: 2, role: "user", text: "faster", tools: [] },
    ],
  });
  expect(store.said("s", 0, -1)).toEqual({ size: 4, messages: [] });
  expect(store.said("nobody", 0, 9)).toBeUndefined();
  expect(find(store, "faster")).toMatchObject([{ hits: [{ seq: 2, role: "user" }] }]);
});

test("[G1] the newest sessions are listed, so many", async () => {
  const store = inMemory();
  for (const id of ["a", "b", "c"]) await tell(store, id, `hello ${id}`, "hi");
  await tell(store, "a", "again", "hi");
  expect(store.recent(2)).toEqual(store.list().slice(0, 2));
  expect(store.recent(2).map(({ sessionId }) => sessionId)).toEqual(["a", "c"]);
});
