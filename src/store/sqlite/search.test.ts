import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { Store } from "../../protocol/store.ts";
import { memoryStore } from "../memory.ts";
import { openSqliteStore } from "./store.ts";

async function storeWith(store: Store, ...facts: readonly Fact[]): Promise<Store> {
  onTestFinished(() => store.close());
  await save(
    (await store.open("s")).writer(() => undefined),
    ...facts,
  );
  return store;
}

const told = async (): Promise<Store> =>
  storeWith(
    memoryStore(),
    turnStart("t", 0, "Why does the Build fail in naïve_parser.ts?"),
    {
      type: "assistant-message",
      seq: 1,
      message: {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "secretthought" },
          { type: "text", text: "错误信息说明编译器找不到文件 config.json" },
          { type: "tool-call", callId: "c", name: "grep", input: '{"q":"argumentword"}' },
        ],
      },
      finish: "tool_calls",
    },
    {
      type: "receipt",
      seq: 2,
      message: { role: "tool", callId: "c", status: "ok", parts: [{ type: "text", text: "50% of C++\0after" }] },
    },
    { type: "steer-placed", seq: 2, part: 1, steer: { type: "steer", steerId: "x", text: "look into the lockfile" } },
    reply(3, "ビルドは成功しました 🎉 done"),
  );

test.each([
  ["build", [0]],
  ["BUILD fail", [0]],
  ["build success", []],
  ["naive_parser.ts", [0]],
  ['"does the build"', [0]],
  ['"build the does"', []],
  ["pars*", [0]],
  ["错误信息", [1]],
  ["错误", [1]],
  ["错", [1]],
  ["编译器 config", [1]],
  ["编译 CONFIG.JSON", [1]],
  ["错误编译", []],
  ["ルド", [3]],
  ["ビルドは成功", [3]],
  ["secretthought", []],
  ["argumentword", []],
  ["lockfile", [2]],
  ["after", [2]],
  ["++", []],
  ['"++"', [2]],
  ["%", [2]],
  ["🎉", [3]],
  ["   ", []],
  ["", []],
])("[G5] search %j finds the messages %j", async (query, places) => {
  const hits = (await told()).search(query, 10);
  expect(hits.map(({ seq }) => seq)).toStrictEqual(places);
});

test("[G5] a hit names its place and shows one line around the word", async () => {
  const text = `${"before ".repeat(50)}\nthe needle\n${"after ".repeat(50)}`;
  const store = await storeWith(memoryStore(), turnStart("t", 0, "x"), reply(1, text));
  const [hit] = store.search("needle", 10);
  expect(hit).toMatchObject({ sessionId: "s", seq: 1, role: "assistant" });
  expect(hit?.snippet).toMatch(/^….*before the needle after.*…$/u);
  expect(store.search("needle", 0)).toStrictEqual([]);
});

test("[G5] no query is a syntax error", async () => {
  const store = await told();
  const pieces = fc.constantFrom(
    '"',
    "*",
    "(",
    ")",
    ":",
    "^",
    "-",
    "+",
    "{",
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "text:",
    "错误信",
    "误",
    "\0",
    "%",
    "_",
    "\\",
    "a",
  );
  const query = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(" ")),
    fc.array(pieces).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(query, (text) => {
      expect(Array.isArray(store.search(text, 5))).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(store.search(`${"长".repeat(5_000)}`, 5)).toStrictEqual([]);
});

test("[G5] any piece of what was said in a script without spaces is found", async () => {
  const character = fc.constantFrom(...Array.from("错误信息编译器文件のサーバー한국어𠮷"));
  const text = fc.array(character, { minLength: 3, maxLength: 30 }).map((characters) => characters.join(""));
  const store = memoryStore();
  onTestFinished(() => store.close());
  let session = 0;
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.nat(), async (said, from, length) => {
      const id = `s${session++}`;
      await save(
        (await store.open(id)).writer(() => undefined),
        turnStart(id, 0, said),
      );
      const characters = Array.from(said);
      const start = from % characters.length;
      const piece = characters.slice(start, start + 1 + (length % 8)).join("");
      expect(store.search(piece, 1_000).map(({ sessionId }) => sessionId)).toContain(id);
    }),
    { numRuns: 60 },
  );
});

test("[G5] the index is filled beside the commits, and completed by a search", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = await storeWith(openSqliteStore({ path }), turnStart("t", 0, "first words"), reply(1, "x"));
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  const indexed = (): number => Number(db.prepare("select indexed from search_progress").get()?.["indexed"]);
  expect(indexed()).toBe(0);
  expect(store.search("first", 5)).toHaveLength(1);
  expect(indexed()).toBe(2);
  await save(
    (await store.open("s")).writer(() => undefined),
    turnEnd("x"),
  );
  await save(
    (await store.open("s")).writer(() => undefined),
    turnStart("t2", 2, "x"),
    turnEnd("y"),
  );
  await expect.poll(indexed).toBe(3);
});

const WORDS =
  "the build failed because a module could not be found in path src index test error line value return function store session".split(
    " ",
  );
const PHRASES = [
  "错误信息说明",
  "编译器找不到",
  "文件",
  "请检查配置",
  "然后重试",
  "会话存储",
  "模型返回",
  "工具调用",
  "结果如下",
  "这是因为",
];

test("[G5] the file with its indexes is at most four times the content", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = openSqliteStore({ path });
  const writer = (await store.open("s")).writer(() => undefined);
  let state = 1;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const english = (): string =>
    Array.from({ length: 150 }, () => `${WORDS[random(WORDS.length)]}${random(4) === 0 ? random(5_000) : ""}`).join(
      " ",
    );
  const chinese = (): string =>
    Array.from(
      { length: 60 },
      () => `${PHRASES[random(PHRASES.length)]}${String.fromCodePoint(0x4e00 + random(3_000))}`,
    ).join("，");
  let content = 0;
  await save(writer, turnStart("t", 0, "x"));
  for (let seq = 1; seq <= 1_500; seq++) {
    const text = seq % 2 === 0 ? english() : chinese();
    content += Buffer.byteLength(text);
    await save(writer, reply(seq, text));
  }
  await save(writer, turnEnd("x"));
  expect(store.search("build", 3)).toHaveLength(3);
  expect(store.search("编译器找不到", 3)).toHaveLength(3);
  store.close();
  expect(statSync(path).size / content).toBeLessThanOrEqual(4);
});
