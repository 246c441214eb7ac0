import { afterAll, beforeAll, expect, test } from "vitest";
import { Outpost } from "./outpost.ts";
import { STAGES } from "./stages.ts";

let outpost: Outpost;

beforeAll(async () => {
  outpost = await Outpost.begin();
});

afterAll(async () => {
  await outpost[Symbol.asyncDispose]();
});

for (const { name, rows, goal, play } of STAGES)
  test(`${rows} ${name}: ${goal}`, async () => {
    expect(await play(outpost)).toBe(goal);
  });
