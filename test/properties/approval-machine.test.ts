import { expect, test } from "vitest";
import { cases, play } from "./approval-machine.ts";
import { approvalRaces } from "./approval-races.ts";

/** Few enough for a busy machine; `npm run show -- approval-machine` plays every combination, and many more races. */
const RACES = 100;
/** Shares no factor with the number of values of any part: each value meets each other one. */
const EACH = 11;

test("[E10] [R22] whatever the surface, mode, answer, words of others, verdict and rules: nothing runs without a yes", async () => {
  const all = cases();
  expect(all.length).toBeGreaterThan(1_500);
  for (const [at, one] of all.entries()) if (at % EACH === 0) await play(one);
}, 60_000);

test("[E10] [R22] [APPR-02] double answers, two approvers, a yes as its time runs out: a call runs once, by a yes that was taken, or not at all", async () => {
  const { ran, wrong } = await approvalRaces(RACES, 1);
  expect(wrong).toEqual([]);
  expect(ran).toBeGreaterThan(RACES / 10);
  expect(ran).toBeLessThan(RACES);
}, 60_000);
