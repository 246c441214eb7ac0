import fc from "fast-check";
import { expect, test } from "vitest";
import type { Schedule } from "../../protocol/jobs.ts";
import { nextRun } from "./next-run.ts";

const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Asia/Shanghai"];

const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ type: fc.constant("every" as const), everyMs: fc.integer({ min: 60_000, max: DAY }) }),
  fc.record({
    type: fc.constant("cron" as const),
    expression: fc.constantFrom("0 9 * * *", "30 2 * * *", "*/15 * * * *", "0 * * * *", "0 0 1 * *"),
    zone: fc.constantFrom(...ZONES),
  }),
);

/** What happens between two looks: time passes, and somebody sets the clock. */
const looks = fc.array(
  fc.record({
    passesMs: fc.integer({ min: 1, max: 8 * HOUR }),
    jumpMs: fc.constantFrom(0, 0, 0, SECOND, -SECOND, HOUR, -HOUR, 8 * HOUR, 3_650 * DAY, -3_650 * DAY),
  }),
  { minLength: 1, maxLength: 12 },
);

test("[R8][I9] property: whatever the clock does, a job is caught up on once, and is planned for a time that comes", () => {
  const begins = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) });
  fc.assert(
    fc.property(schedules, begins, looks, (schedule, begin, all) => {
      let now = begin;
      let due = nextRun(schedule, now) ?? Infinity;
      for (const { passesMs, jumpMs } of all) {
        now += passesMs + jumpMs;
        // However much was missed, it runs once and is planned anew from now on.
        const runs = due <= now ? 1 : 0;
        if (runs === 1) due = nextRun(schedule, now) ?? Infinity;
        expect(due).toBeGreaterThan(now);
        // From any time it is due within what its schedule says: none is planned for years ahead.
        const next = nextRun(schedule, now) ?? Infinity;
        expect(next - now).toBeLessThanOrEqual(32 * DAY);
      }
    }),
    { numRuns: 1_000 },
  );
});
