import { type CronFields, readCron } from "./cron-expression.ts";
import type { Schedule } from "../../protocol/jobs.ts";
import { type Clock, clockIn, shownAs, type WallTime } from "./wall-time.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** February 29 comes back within eight years. */
const FARTHEST_MS = 9 * 366 * DAY_MS;

/** When it is due next, later than now, ms since the epoch; undefined: never, also where it means nothing any more. */
export function nextRun(schedule: Schedule, nowMs: number): number | undefined {
  switch (schedule.type) {
    case "at":
      return schedule.atMs > nowMs ? schedule.atMs : undefined;
    case "every":
      return schedule.everyMs > 0 ? nowMs + schedule.everyMs : undefined;
    case "cron": {
      const [fields, clock] = [readCron(schedule.expression), clockIn(schedule.zone)];
      return fields && clock && nextMatch(fields, clock, nowMs);
    }
  }
}

/**
 * Clocks are moved: what is due at a set time is due once where an hour comes twice, and where an hour is left out right
 * behind it; what is due every hour is due in each that passes.
 */
function nextMatch(fields: CronFields, clock: Clock, nowMs: number): number | undefined {
  const shownNow = clock(nowMs).asUtcMs;
  let at = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  while (at - nowMs < FARTHEST_MS) {
    const wall = clock(at);
    const isBehind = fields.everyHour || wall.asUtcMs > shownNow;
    if (isBehind && matches(fields, wall)) return at;
    const step = stepFrom(fields, wall);
    at += step;
    if (isLeftOut(fields, wall.asUtcMs + step, clock(at).asUtcMs)) return at;
  }
  return undefined;
}

/** To the next minute, hour or day, as far as nothing in between can be meant. */
function stepFrom(fields: CronFields, wall: WallTime): number {
  const toNextHour = HOUR_MS - wall.minute * MINUTE_MS;
  if (!isDay(fields, wall) && wall.hour < 20) return (20 - wall.hour) * HOUR_MS - wall.minute * MINUTE_MS;
  return isDay(fields, wall) && fields.hours.has(wall.hour) ? MINUTE_MS : toNextHour;
}

const matches = (fields: CronFields, wall: WallTime): boolean =>
  isDay(fields, wall) && fields.hours.has(wall.hour) && fields.minutes.has(wall.minute);

function isDay({ months, days, weekdays, eitherDay }: CronFields, { month, day, weekday }: WallTime): boolean {
  const [isDate, isWeekday] = [days.has(day), weekdays.has(weekday)];
  return months.has(month) && (eitherDay ? isDate || isWeekday : isDate && isWeekday);
}

/** A time that is meant does not come: the clock is put forward past it. */
function isLeftOut(fields: CronFields, fromMs: number, toMs: number): boolean {
  if (fields.everyHour) return false;
  for (let missed = fromMs; missed < toMs; missed += MINUTE_MS) if (matches(fields, shownAs(missed))) return true;
  return false;
}
