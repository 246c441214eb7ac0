import { afterAll, beforeAll, expect, test } from "vitest";
import { Stages } from "../stages.ts";
import { STAGES } from "./stages.ts";
import { Workshop } from "./workshop.ts";

let shop: Workshop;
let stages: Stages<Workshop>;

beforeAll(async () => {
  shop = await Workshop.begin();
  stages = new Stages(shop);
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

for (const stage of STAGES)
  test(`${stage.rows} ${stage.name}: ${stage.goal}`, async () => {
    expect(await stages.play(stage)).toBe(stage.goal);
  });
