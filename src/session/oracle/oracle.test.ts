import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BREAKINGS, breakStore } from "../../../test/support/broken-stores.ts";
import { breachesIn } from "../../../test/support/sound.ts";
import { temporaryFolder } from "../../../test/support/store-world.ts";
import { BREACHES, type BreachKind, INVARIANTS } from "../../protocol/oracle.ts";

test("[X6] [X12] nothing is found in a sound store, whatever is known of it", async () => {
  const path = join(temporaryFolder(), "store.db");
  await breakStore(path, {});
  const given = {
    acknowledged: ["hello", "softly", "and this", "again"],
    ran: ["c1"],
    idle: true,
    ended: true,
    recordedHere: true,
    answers: new Map([["t1", "Done."]]),
    counted: { input: 45, output: 20, inFlight: 5 },
    leftOver: [],
  } as const;
  expect(breachesIn(path, given)).toEqual([]);
});

test("[X6] [X12] every invariant can be broken, and every way to break one is tried", () => {
  expect(new Set(Object.values(BREACHES))).toEqual(new Set(INVARIANTS));
  expect(Object.values(BREAKINGS).flat().length).toBeGreaterThanOrEqual(80);
});

describe.each(Object.entries(BREAKINGS))("[X6] the oracle sees %s", (kind, ways) => {
  test.each(ways.map((way, at) => [at, way] as const))("way %i", async (_at, way) => {
    const path = join(temporaryFolder(), "store.db");
    await breakStore(path, way);
    const found = breachesIn(path, way.given);
    expect(found.map((breach) => breach.kind)).toContain(kind);
    const invariant = BREACHES[kind as BreachKind];
    const broken = new Set(found.map((breach) => breach.invariant));
    expect(broken, JSON.stringify(found)).toEqual(new Set([invariant, way.also ?? invariant]));
    for (const { detail } of found) expect([detail.en, detail.zh].every((text) => text.length > 20)).toBe(true);
  });
});
