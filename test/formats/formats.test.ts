import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import { explainTurn } from "../../src/session/explain.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrations.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { assertSound } from "../support/sound.ts";
import { faultOf, memoryFolder } from "../support/store-world.ts";
import { KEPT_FORMATS, unpackStore } from "../support/stores-of-formats.ts";
import { say } from "../support/wire-script.ts";

const LOOK = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { at: { type: "string" } } },
  effect: "pure",
  concurrency: "shared",
  run: async () => "found",
} as const;

/** What is told of every turn, in the order in which they began. */
function explained(path: string): string[] {
  const store = openSqliteStore({ path });
  try {
    const viewpoint = { nowMs: 0, alive: false, language: "en" } as const;
    return [...store.turns({})].flatMap(({ turnId }) => {
      const turn = store.turn(turnId);
      return turn === undefined ? [] : explainTurn(turn, viewpoint);
    });
  } finally {
    store.close();
  }
}

test("[R24] there is a store of every format that a program has written", () => {
  // The second was never written by any: both of its steps came at once (README.md beside the stores).
  expect([1, 2, ...KEPT_FORMATS.slice(1)]).toEqual(MIGRATIONS.map((_, index) => index + 1).slice(0, -1));
});

test.each(KEPT_FORMATS)(
  "[R24][G1][X7] a store that the program of format %d wrote is listed, searched, explained, resumed, and is sound",
  async (format) => {
    const folder = memoryFolder();
    const path = join(folder, "evander.db");
    unpackStore(format, path);
    const before = openSqliteStore({ path });
    expect(before.list().map(({ sessionId }) => sessionId)).toEqual(
      expect.arrayContaining(["harbour", "errands", "left"]),
    );
    expect(before.search("fathoms", 9).map(({ sessionId }) => sessionId)).toContain("harbour");
    expect(before.search("灯塔", 9).map(({ sessionId }) => sessionId)).toContain("harbour");
    expect(before.openTurns()).toMatchObject([{ sessionId: "left" }]);
    before.close();
    assertSound(path);
    expect(explained(path).join("\n")).toMatch(/look/u);

    await using provider = await fakeProvider([say("It is the old one."), say("No, it is open.")]);
    await using bot = agent({ baseUrl: provider.baseUrl, model: "m", store: folder, tools: [LOOK] });
    const resumed = await bot.run("Which lighthouse is it?", { sessionId: "harbour" });
    expect(resumed).toMatchObject({ ok: true, answer: "It is the old one." });
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("beacon");
    expect(await bot.run("And now?", { sessionId: "left" })).toMatchObject({ ok: true, answer: "No, it is open." });
    await bot.close();
    assertSound(path);
  },
);

test.each(["2-draft", "3-draft"])(
  "[R24] a store of a step that was written anew before it was released, %s, is refused and stays as it is",
  async (draft) => {
    const path = join(memoryFolder(), "evander.db");
    unpackStore(draft, path);
    const before = readFileSync(path);
    await faultOf(() => openSqliteStore({ path }));
    expect(readFileSync(path).equals(before)).toBe(true);
  },
);
