import { expect, test } from "vitest";
import { figuresOf, liveDay } from "./live-day.ts";

const TURNS = 50_000;
const SEED = Number(process.env["SEED"] ?? 1);

test(`[X6] [R15] a day of ${TURNS} turns in 20 sessions leaves a process as it was (SEED=${SEED} repeats it)`, async () => {
  const report = await liveDay(TURNS, SEED);
  expect(report.wrong).toEqual([]);
  expect(report.turns).toBeGreaterThanOrEqual(TURNS);
  const { heapSlope, descriptors, timers, listeners, log, growth } = figuresOf(report);
  expect(heapSlope).toBeLessThan(0.5);
  expect(Math.max(descriptors, timers, listeners)).toBeLessThanOrEqual(2);
  expect(log).toBeLessThanOrEqual(64);
  expect(growth).toBeLessThan(1.25);
});
