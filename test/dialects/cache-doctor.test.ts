import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { ModelFacts } from "../../src/index.ts";
import { skillsOn } from "../../src/program/skills.ts";
import { promptMaker } from "../../src/program/prompt.ts";
import type { RequestPlace } from "../../src/protocol/replay.ts";
import type { Cause } from "../../src/session/cache/cause.ts";
import { cacheLines } from "../../src/session/cache/lines.ts";
import { answers, Clinic, find, LONG_PROMPT, look, looks } from "./clinic.ts";
import { refusal } from "./refusing.ts";
import { calls, type Mode, refuses } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";

const MODES = SUBJECTS.map(({ wire }) => wire.mode);

test.each(MODES)("[X5] [X9] in %s nothing is missed over turns, tools, failures and a restart", async (mode) => {
  await using clinic = await Clinic.open(mode);
  await clinic.turn([looks("a"), looks("b"), answers("One.")]);
  expect(clinic.report()).toMatchObject({ missed: 0, silent: [] });
  await clinic.turn([looks("c"), refuses("overloaded"), looks("d"), answers(""), answers("Two.")]);
  expect(clinic.report()).toMatchObject({ missed: 0, silent: [] });
  await clinic.turn([looks("e"), answers("Three.")], {});
  const { missed, silent, rows } = clinic.report();
  expect({ missed, silent }).toEqual({ missed: 0, silent: [] });
  for (const { read, predicted, differs, misses } of rows) {
    expect(differs).toBeNull();
    expect(misses).toEqual([]);
    expect(predicted).toBeGreaterThan(2_000);
    expect(read).toBeGreaterThan(2_000);
  }
});

interface Plant {
  readonly cause: Cause;
  readonly place: RequestPlace | null;
  /** What a person reads of it. */
  readonly words: RegExp;
  /** In chat completions, where a cache needs no marks, when absent. */
  readonly mode?: Mode;
  /** And in messages, where it does. */
  readonly marked?: true;
  readonly facts?: ModelFacts;
  /** Behind a turn of two requests: does something to the next, which is the second turn's first unless it says so. */
  readonly plant: (clinic: Clinic) => Promise<unknown>;
}

const again = (clinic: Clinic, more?: Parameters<Clinic["turn"]>[1]): Promise<unknown> =>
  clinic.turn([answers("Again.")], more);

const THINKING: ModelFacts = {
  provider: "there",
  model: "fake-1",
  quirks: [],
  thinking: { low: "low", high: "high" },
};

/** Behind the back of the agent, which may be writing its index. */
function write(folder: string, sql: string): void {
  const db = new DatabaseSync(join(folder, "evander.db"), { timeout: 30_000 });
  db.exec(sql);
  db.close();
}

const PLANTS: readonly Plant[] = [
  {
    cause: { type: "model-switch", from: "fake-1", to: "fake-2" },
    place: null,
    words: /0 tokens equal, then another model: the model was switched from fake-1 to fake-2/u,
    plant: (clinic) => again(clinic, { model: "fake-2" }),
  },
  {
    cause: { type: "tool-list", added: ["find"], removed: [] },
    marked: true,
    place: { type: "tool", index: 0, name: "find" },
    words: /then tools\[0\] "find": the list of tools changed: added find/u,
    plant: (clinic) => again(clinic, { tools: [find, look] }),
  },
  {
    cause: { type: "tool-list", added: [], removed: ["look"] },
    place: { type: "tool", index: 0, name: "look" },
    words: /the list of tools changed: removed look/u,
    plant: (clinic) => again(clinic, { tools: [] }),
  },
  {
    cause: { type: "tool-text", tool: "look", changed: ["description"] },
    place: { type: "tool", index: 0, name: "look" },
    words: /then tools\[0\] "look": its description changed/u,
    plant: (clinic) => again(clinic, { tools: [{ ...look, description: "Looks elsewhere." }] }),
  },
  {
    cause: { type: "tool-text", tool: "look", changed: ["schema"] },
    place: { type: "tool", index: 0, name: "look" },
    words: /its schema changed/u,
    plant: (clinic) => again(clinic, { tools: [{ ...look, parameters: { type: "object", properties: {} } }] }),
  },
  {
    cause: { type: "prompt", state: "stale_system", parts: expect.any(Array) as string[] },
    marked: true,
    place: { type: "system" },
    words:
      /then the system prompt at "hasty\. +A rule.*": the system prompt was built anew: the program speaks otherwise/u,
    plant: (clinic) => again(clinic, { system: LONG_PROMPT.replace("You are careful", "You are hasty") }),
  },
  {
    cause: {
      type: "prompt",
      state: "empty",
      parts: [expect.stringMatching(/MEMORY\.md$/u) as string],
    },
    place: { type: "system" },
    words: /built anew: the one that was kept was empty \(.*MEMORY\.md\)/u,
    plant: async (clinic) => {
      const { folder: home } = clinic;
      const places = { home, cwd: home, memoryFolder: home, ownFolders: [], isTrusted: () => false } as const;
      const shelf = skillsOn({ env: {}, home, platform: "linux" }, "")({ cwd: home });
      const more = { prompt: promptMaker({ ...places, platform: "linux", surface: "terminal" }, shelf) };
      const lose = (): void => write(home, "update session set prompt = ''");
      writeFileSync(join(home, "MEMORY.md"), "The user likes tea.");
      lose();
      await clinic.turn([looks("c"), looks("d"), answers("One.")], more);
      lose();
      writeFileSync(join(home, "MEMORY.md"), "The user likes coffee, and asks for it every morning.");
      await again(clinic, more);
    },
  },
  {
    cause: { type: "turn-prompt" },
    place: { type: "system" },
    words: /this turn adds something else to the system prompt/u,
    plant: (clinic) => clinic.turn([answers("Oui.")], undefined, { system: "Speak French." }),
  },
  {
    cause: { type: "turn-prompt" },
    place: null,
    words: /this turn adds something else to the system prompt/u,
    plant: async (clinic) => {
      await clinic.turn([looks("c"), answers("Oui.")], undefined, { ephemeralSystem: "Speak French." });
      await clinic.turn([answers("Sí.")], undefined, { ephemeralSystem: "Speak Spanish." });
    },
  },
  {
    cause: { type: "compaction" },
    marked: true,
    place: expect.objectContaining({ type: "message" }) as RequestPlace,
    words: /then messages\[\d+\] \(\w+\): the history was compacted/u,
    plant: async (clinic) => {
      const paths = "c d e f g h i j k l m".split(" ");
      await clinic.turn([...paths.map(looks), refuses("context_too_long"), answers("Shorter.")]);
    },
  },
  {
    cause: { type: "compaction" },
    place: expect.objectContaining({ type: "message" }) as RequestPlace,
    words: /the history was compacted/u,
    plant: async (clinic) => {
      await clinic.turn([..."c d e f g h".split(" ").map(looks), answers("One.")]);
      await (await clinic.agentNow.sessions.lane("s")).compact("");
      await again(clinic);
    },
  },
  {
    cause: { type: "parameter", name: "reasoning_effort", from: `"low"`, to: `"high"` },
    place: null,
    words: /all that was sent before is equal: the parameter reasoning_effort changed from "low" to "high"/u,
    facts: THINKING,
    plant: (clinic) => again(clinic, { effort: "high" }),
  },
  {
    cause: { type: "adjustment", adjustment: { schemaWords: false } },
    place: { type: "tool", index: 0, name: "match" },
    words: /something was refused \(this server cannot read the patterns/u,
    plant: async (clinic) => {
      const pattern = { type: "object", properties: { word: { type: "string", pattern: "^a" } } };
      const match = { ...look, name: "match", parameters: { ...look.parameters, ...pattern } };
      await clinic.turn([looks("c"), answers("One.")], { tools: [match, look] });
      await clinic.turn([
        refusal(400, { error: { message: "json-schema-to-grammar: error parsing grammar" } }),
        answers("Two."),
      ]);
    },
  },
  {
    cause: { type: "lifetime", gapMs: expect.any(Number) as number, lifetimeMs: 300_000 },
    marked: true,
    place: null,
    words: /equal: 1 h passed since the request before, and what is cached is kept for about 5 min/u,
    plant: async (clinic) => {
      write(clinic.folder, "update journal set at = at - 3600000, sum = null");
      clinic.cache.forget();
      await again(clinic);
    },
  },
  {
    cause: { type: "provider" },
    marked: true,
    place: null,
    words: /equal: it was sent in time, and the provider did not have it/u,
    plant: async (clinic) => {
      clinic.cache.forget();
      await again(clinic);
    },
  },
  {
    cause: { type: "program", from: "1.0.0", to: "1.1.0" },
    place: { type: "tool", index: 0, name: "look" },
    words: /then tools\[0\] "look": Evander was upgraded from 1\.0\.0 to 1\.1\.0/u,
    plant: (clinic) => again(clinic, { program: () => "1.1.0", tools: [{ ...look, description: "Looks better." }] }),
  },
  {
    cause: { type: "far-mark", blocks: 48 },
    place: null,
    words: /48 blocks were added at once, and a cache looks back over 20/u,
    mode: "anthropic_messages",
    plant: async (clinic) => {
      const many = Array.from({ length: 24 }, (_, at) => calls("look", { path: `${at}` }, { id: `call_${at}` }));
      await clinic.turn([many, answers("All.")]);
    },
  },
  {
    cause: { type: "key" },
    place: null,
    words: /equal: another key was sent, and the cache may lie with the account of the other one/u,
    plant: (clinic) => clinic.turn([refuses("bad_key"), answers("With the other.")]),
  },
];

const EACH = PLANTS.flatMap(({ mode = "chat_completions", marked, ...plant }) =>
  (marked === undefined ? [mode] : [mode, "anthropic_messages" as const]).map((each) => ({ ...plant, mode: each })),
);

test.each(EACH)(
  "[X5] planted in $mode: $cause.type at $place.type is named, with its price",
  async ({ cause, place, words, mode, facts, plant }) => {
    const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, asOf: "2026-11-01", source: "a list" };
    const known = facts ?? { provider: "there", model: "fake-1", quirks: [] };
    const effort = facts === undefined ? {} : ({ effort: "low" } as const);
    const fixed = { facts: { ...known, prices }, program: () => "1.0.0", apiKeys: ["k", "other"] };
    await using clinic = await Clinic.open(mode, { ...fixed, ...effort });
    await clinic.turn([looks("a"), answers("One.")]);
    expect(clinic.report()).toMatchObject({ missed: 0, silent: [] });
    await plant(clinic);
    const report = clinic.report();
    const misses = report.rows.flatMap((row) => row.misses);
    expect(misses.map((miss) => miss.cause)).toEqual([cause]);
    const [miss] = misses;
    expect(miss?.place).toEqual(place);
    const { tokens = 0, cost } = miss ?? {};
    expect(tokens).toBeGreaterThan(1_000);
    const more = mode === "anthropic_messages" ? 3.75 - 0.3 : 3 - 0.3;
    expect(cost).toMatchObject({ status: "estimated" });
    expect(cost?.usd).toBeCloseTo((tokens * more) / 1e6, 5);
    expect(cacheLines(report, "en").join("\n")).toMatch(words);
    expect(cacheLines(report, "zh").join("\n")).toMatch(/未从缓存读取，多付 \$/u);
  },
);
