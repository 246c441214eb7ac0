const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A clock on a wall: what it shows, and how far it is from UTC then, ms. */
export interface WallTime {
  readonly month: number;
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  /** The same as if it were UTC, ms since the epoch, whole minutes. */
  readonly asUtcMs: number;
}

export type Clock = (ms: number) => WallTime;

/** Undefined: there is no such time zone. */
export function clockIn(zone: string): Clock | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
  } catch {
    return undefined;
  }
  return (ms) => wallTime(format, ms);
}

function wallTime(format: Intl.DateTimeFormat, ms: number): WallTime {
  const part = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)] as const));
  const of = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
  return shownAs(Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute")));
}

/** What a clock shows, of what it would be in UTC. */
export function shownAs(asUtcMs: number): WallTime {
  const date = new Date(asUtcMs);
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    asUtcMs,
  };
}

/** When a clock shows this: the first time it does; where it is put forward past it, as much later. */
export function momentOf(asUtcMs: number, clock: Clock): number {
  const minute = Math.floor(asUtcMs / MINUTE_MS) * MINUTE_MS;
  const offsetAt = (ms: number): number => clock(ms).asUtcMs - Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  // Clocks are moved by less than a day: the one before has the offset that holds first.
  const [before, after] = [offsetAt(minute - DAY_MS), offsetAt(minute + DAY_MS)];
  const found = [asUtcMs - before, asUtcMs - after].find((ms) => clock(ms).asUtcMs === minute);
  return found ?? asUtcMs - before;
}
