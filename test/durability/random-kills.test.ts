import { expect, test } from "vitest";
import { newTally, randomKills } from "./random-kills.ts";

/** Another one: SEED=n npx vitest run --project program test/durability/random-kills.test.ts */
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const KILLS = 500;
const SHARDS = 4;

const shards = Array.from({ length: SHARDS }, (_, at) => SEED + at * KILLS);

test.concurrent.for(shards)(
  "[G3 X6 X12] processes killed at random times, from seed %i: nothing is lost, nothing done twice",
  async (seed) => {
    const tally = newTally();
    await randomKills({ kills: KILLS / SHARDS, seed }, tally);
    expect(tally.kills).toBe(KILLS / SHARDS);
  },
);
