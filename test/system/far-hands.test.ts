import { expect, test } from "vitest";
import { Outpost } from "../scenario/far-hands/outpost.ts";
import { IN_A_SANDBOX } from "../scenario/far-hands/stages.ts";

const { rows, name, goal, play } = IN_A_SANDBOX;

test(`${rows} ${name}: ${goal}`, async () => {
  await using outpost = await Outpost.begin();
  expect(await play(outpost)).toBe(goal);
});
