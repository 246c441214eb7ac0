import type { Schedule } from "../../protocol/jobs.ts";
import { readCron } from "./cron-expression.ts";
import { clockIn, momentOf } from "./wall-time.ts";

export interface BadSchedule {
  readonly type: "bad";
  readonly why: string;
}

const MINUTE_MS = 60_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["m", 1],
  ["h", 60],
  ["d", 1_440],
]);
/** Minutes, ten years: nothing is planned for longer. */
const LONGEST = 5_256_000;

/** `30m`, `2 hours`, `1 day`, in minutes (hermes §26.10); undefined: it is none. */
export function durationMinutes(text: string): number | undefined {
  const [, number = "", unit = ""] =
    /^(\d{1,7})\s*(m|mins?|minutes?|h|hrs?|hours?|d|days?)$/u.exec(text.trim().toLowerCase()) ?? [];
  const minutes = Number(number) * (UNITS.get(unit.slice(0, 1)) ?? 0);
  return minutes >= 1 && minutes <= LONGEST ? minutes : undefined;
}

const bad = (why: string): BadSchedule => ({ type: "bad", why });

/** What stands around a schedule that is read. */
export interface Reading {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The time zone where none is named. */
  readonly zone: string;
}

/** `30m` (once), `every 2h`, `0 9 * * *`, `2030-01-15T14:00:00Z` (hermes §26.10). */
export function readSchedule(given: string, { nowMs, zone }: Reading): Schedule | BadSchedule {
  const text = given.trim();
  const [, repeated] = /^every\s+(.*)$/iu.exec(text) ?? [];
  if (repeated !== undefined) {
    const minutes = durationMinutes(repeated);
    return minutes === undefined ? bad(NO_SCHEDULE) : { type: "every", everyMs: minutes * MINUTE_MS };
  }
  if (text.split(/\s+/u).length >= 5) return checked({ type: "cron", expression: text, zone });
  if (/^\d{4}-\d{2}-\d{2}/u.test(text) || /T/u.test(text)) return readMoment(text, zone);
  const minutes = durationMinutes(text);
  return minutes === undefined ? bad(NO_SCHEDULE) : { type: "at", atMs: nowMs + minutes * MINUTE_MS };
}

const NO_SCHEDULE =
  'Write when: "30m" (once), "every 2h", five fields of cron such as "0 9 * * 1-5", or a time such as 2030-01-15T14:00.';

/** The same schedule where it can be kept. */
export function checked(schedule: Schedule): Schedule | BadSchedule {
  switch (schedule.type) {
    case "at":
      return Number.isFinite(schedule.atMs) ? schedule : bad(NO_SCHEDULE);
    case "every":
      return schedule.everyMs > 0 ? schedule : bad("What is repeated needs some time in between.");
    case "cron":
      if (clockIn(schedule.zone) === undefined)
        return bad(
          `There is no time zone ${JSON.stringify(schedule.zone.slice(0, 80))}: write one such as Europe/Berlin.`,
        );
      return readCron(schedule.expression) === undefined
        ? bad(`${JSON.stringify(schedule.expression.slice(0, 200))} is not five fields of cron, such as "0 9 * * 1-5".`)
        : schedule;
  }
}

function readMoment(text: string, zone: string): Schedule | BadSchedule {
  const [, date = "", time = "00:00", offset] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?\s*(Z|[+-]\d{2}:?\d{2})?$/iu.exec(text) ?? [];
  const wall = Date.parse(`${date}T${time}Z`);
  // Dates that no month has would become those of the next.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(date)) return bad(NO_SCHEDULE);
  if (offset !== undefined) return { type: "at", atMs: wall - offsetMs(offset) };
  const clock = clockIn(zone);
  if (clock === undefined) return checked({ type: "cron", expression: "* * * * *", zone });
  return { type: "at", atMs: momentOf(wall, clock) };
}

function offsetMs(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/u.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
}

/** In words of a program, for models and lists. */
export function scheduleText(schedule: Schedule): string {
  switch (schedule.type) {
    case "at":
      return `at ${new Date(schedule.atMs).toISOString()}`;
    case "every":
      return `every ${spanText(schedule.everyMs)}`;
    case "cron":
      return `cron: ${schedule.expression} (${schedule.zone})`;
  }
}

const SPANS = [
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

function spanText(ms: number): string {
  const [size, unit] = SPANS.find(([span]) => ms % span === 0) ?? [1, "ms"];
  return `${ms / size}${unit}`;
}
