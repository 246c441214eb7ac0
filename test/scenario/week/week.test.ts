import { afterAll, beforeAll, expect, test } from "vitest";
import { Stages } from "../stages.ts";
import { DAYS } from "./days.ts";
import { Week } from "./world.ts";

let week: Week;
let days: Stages<Week>;

beforeAll(async () => {
  week = await Week.begin();
  days = new Stages(week);
});

afterAll(async () => {
  await week[Symbol.asyncDispose]();
});

for (const day of DAYS)
  test(`${day.rows} ${day.name}: ${day.goal}`, async () => {
    expect(await days.play(day)).toBe(day.goal);
  });
