import fc from "fast-check";
import { expect, test } from "vitest";
import { readCron } from "./cron-expression.ts";
import { nextRun } from "./next-run.ts";
import { checked, durationMinutes, readSchedule, scheduleText } from "./schedule.ts";

const NOW = Date.parse("2026-03-01T09:00:00Z");
const read = (text: string, zone = "UTC"): unknown => readSchedule(text, { nowMs: NOW, zone });
const next = (expression: string, zone: string, from: string): string | undefined => {
  const at = nextRun({ type: "cron", expression, zone }, Date.parse(from));
  return at === undefined ? undefined : new Date(at).toISOString().slice(0, 16);
};

test("[H6] a length of time is read as people write it, and nothing else is one", () => {
  for (const [text, minutes] of [
    ["30m", 30],
    ["5 mins", 5],
    ["2H", 120],
    ["3 hrs", 180],
    ["1 hour", 60],
    ["2 days", 2_880],
    ["1d", 1_440],
  ] as const)
    expect([text, durationMinutes(text)]).toEqual([text, minutes]);
  for (const text of ["", "m", "5", "5s", "1.5h", "-5m", "0m", "5 weeks", "5m 3h", "99999999m", "9999999d"])
    expect([text, durationMinutes(text)]).toEqual([text, undefined]);
});

test("[H6] a schedule is once, repeated, by the clock, or at a time of a zone", () => {
  expect(read("30m")).toEqual({ type: "at", atMs: NOW + 1_800_000 });
  expect(read("every 2h")).toEqual({ type: "every", everyMs: 7_200_000 });
  expect(read("0 9 * * mon-fri", "Asia/Shanghai")).toEqual({
    type: "cron",
    expression: "0 9 * * mon-fri",
    zone: "Asia/Shanghai",
  });
  const at = (text: string, zone?: string): string => {
    const schedule = readSchedule(text, { nowMs: NOW, zone: zone ?? "UTC" });
    return schedule.type === "at" ? new Date(schedule.atMs).toISOString() : schedule.type;
  };
  expect(at("2030-01-15T14:00:00Z")).toBe("2030-01-15T14:00:00.000Z");
  expect(at("2030-01-15T14:00+02:00")).toBe("2030-01-15T12:00:00.000Z");
  expect(at("2030-01-15 14:00", "America/New_York")).toBe("2030-01-15T19:00:00.000Z");
  expect(at("2030-07-15", "Asia/Shanghai")).toBe("2030-07-14T16:00:00.000Z");
  expect(at("2026-03-08T02:30", "America/New_York")).toBe("2026-03-08T07:30:00.000Z");
  expect(at("2026-11-01T01:30", "America/New_York")).toBe("2026-11-01T05:30:00.000Z");
});

test("[H6] what is none says how one is written", () => {
  for (const text of [
    "",
    "not_a_schedule",
    "every",
    "every day",
    "tomorrow",
    "2030-13-01",
    "2030-02-30",
    "T",
    "1 2 3 4",
  ])
    expect(read(text)).toMatchObject({ type: "bad", why: expect.stringContaining("30m") });
  expect(read("0 25 * * *")).toMatchObject({ type: "bad", why: expect.stringContaining("five fields") });
  expect(read("0 9 * * *", "Mars/Base")).toMatchObject({ type: "bad", why: expect.stringContaining("Mars/Base") });
  expect(read("2030-01-15T14:00", "Mars/Base")).toMatchObject({
    type: "bad",
    why: expect.stringContaining("Mars/Base"),
  });
  expect(checked({ type: "every", everyMs: 0 })).toMatchObject({ type: "bad" });
});

test("[H6] five fields: lists, ranges, steps, names, 7 for Sunday", () => {
  const values = (text: string): number[] => [...(readCron(`${text} * * * *`)?.minutes ?? [])];
  expect(values("*/15")).toEqual([0, 15, 30, 45]);
  expect(values("5/20")).toEqual([5, 25, 45]);
  expect(values("1-3,7")).toEqual([1, 2, 3, 7]);
  expect([...(readCron("0 0 * jan,DEC 5-7")?.weekdays ?? [])]).toEqual([5, 6, 0]);
  for (const text of ["60", "*/0", "3-1", "a", "", "1,", "-1", "1-2-3", "*/", "1//2", "* *"])
    expect([text, readCron(`${text} * * * *`)]).toEqual([text, undefined]);
});

test("[H6] the next time is later than now, by the clock of the zone", () => {
  expect(next("0 9 * * *", "UTC", "2026-03-01T09:00:00Z")).toBe("2026-03-02T09:00");
  expect(next("0 9 * * *", "Asia/Shanghai", "2026-03-01T00:00:00Z")).toBe("2026-03-01T01:00");
  expect(next("*/15 * * * *", "UTC", "2026-03-01T10:16:30Z")).toBe("2026-03-01T10:30");
  expect(next("0 0 29 2 *", "UTC", "2026-03-01T00:00:00Z")).toBe("2028-02-29T00:00");
  expect(next("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z")).toBe("2104-02-29T00:00");
  expect(next("0 0 31 2 *", "UTC", "2026-03-01T00:00:00Z")).toBeUndefined();
  expect(next("0 12 13 * 5", "UTC", "2026-03-01T00:00:00Z")).toBe("2026-03-06T12:00");
  expect(next("0 0 1 1 *", "Pacific/Kiritimati", "2026-03-01T00:00:00Z")).toBe("2026-12-31T10:00");
  expect(nextRun({ type: "at", atMs: 5 }, 5)).toBeUndefined();
  expect(nextRun({ type: "every", everyMs: 0 }, 5)).toBeUndefined();
});

test("[H6] where clocks are moved, a set time comes once: not twice, and not never", () => {
  const NEW_YORK = "America/New_York";
  expect(next("0 9 * * *", NEW_YORK, "2026-03-07T20:00:00Z")).toBe("2026-03-08T13:00");
  expect(next("30 2 * * *", NEW_YORK, "2026-03-08T05:00:00Z")).toBe("2026-03-08T07:00");
  expect(next("30 2 * * *", NEW_YORK, "2026-03-08T07:00:00Z")).toBe("2026-03-09T06:30");
  expect(next("30 1 * * *", NEW_YORK, "2026-11-01T00:00:00Z")).toBe("2026-11-01T05:30");
  expect(next("30 1 * * *", NEW_YORK, "2026-11-01T05:30:00Z")).toBe("2026-11-02T06:30");
  expect(next("30 * * * *", NEW_YORK, "2026-11-01T05:30:00Z")).toBe("2026-11-01T06:30");
  expect(next("0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z")).toBe("2026-09-06T04:00");
});

test("[H6] the next time is one that the fields allow, and none between is", () => {
  const field = (most: number, least = 0): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant("*"),
      fc.integer({ min: least, max: most }).map(String),
      fc.integer({ min: 1, max: 20 }).map((step) => `*/${step}`),
    );
  const cron = fc.tuple(field(59), field(23), field(28, 1), fc.constant("*"), field(6)).map((parts) => parts.join(" "));
  fc.assert(
    fc.property(cron, fc.integer({ min: NOW, max: NOW + 10 ** 11 }), (expression, nowMs) => {
      const fields = readCron(expression);
      const found = nextRun({ type: "cron", expression, zone: "UTC" }, nowMs);
      if (fields === undefined || found === undefined) throw new Error("each of these comes");
      const fits = (ms: number): boolean => {
        const date = new Date(ms);
        const [day, weekday] = [fields.days.has(date.getUTCDate()), fields.weekdays.has(date.getUTCDay())];
        const isDay = fields.eitherDay ? day || weekday : day && weekday;
        return isDay && fields.hours.has(date.getUTCHours()) && fields.minutes.has(date.getUTCMinutes());
      };
      expect(found).toBeGreaterThan(nowMs);
      let first = Math.floor(nowMs / 60_000) * 60_000 + 60_000;
      while (first < found && !fits(first)) first += 60_000;
      expect(first).toBe(found);
    }),
    { numRuns: 60 },
  );
});

test("[H6] a schedule is told as it would be written", () => {
  expect(scheduleText({ type: "every", everyMs: 1_800_000 })).toBe("every 30m");
  expect(scheduleText({ type: "every", everyMs: 7_200_000 })).toBe("every 2h");
  expect(scheduleText({ type: "every", everyMs: 1_500 })).toBe("every 1500ms");
  expect(scheduleText({ type: "cron", expression: "0 9 * * *", zone: "UTC" })).toBe("cron: 0 9 * * * (UTC)");
  expect(scheduleText({ type: "at", atMs: NOW })).toBe("at 2026-03-01T09:00:00.000Z");
});
