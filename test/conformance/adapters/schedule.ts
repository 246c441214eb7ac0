import type { Schedule } from "../../../src/protocol/jobs.ts";
import { nextRun } from "../../../src/tools/schedule/next-run.ts";
import { checked, durationMinutes, readSchedule, scheduleText } from "../../../src/tools/schedule/schedule.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf, textOf, textOrNone } from "../input.ts";

const isoOf = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "+00:00");

/** Any moment: what is read does not depend on it. */
const NOW = Date.UTC(2026, 0, 1);

/** `{op: duration, text}` in minutes, `{op: schedule, text, tz}` by its kind. */
export function cronScheduleCase(input: Json): unknown {
  const { op, text, tz } = objectOf(input, "input");
  if (op === "duration") {
    const minutes = durationMinutes(textOrNone(text));
    return minutes === undefined ? { error: true } : { minutes };
  }
  const given = textOrNone(text);
  const schedule = readSchedule(given, { nowMs: NOW, zone: textOrNone(tz) || "UTC" });
  switch (schedule.type) {
    case "bad":
      return { error: true };
    case "every":
      return { kind: "interval", minutes: schedule.everyMs / 60_000 };
    case "cron":
      return { kind: "cron", expr: schedule.expression };
    case "at":
      // How far it is from now is not recorded of a length of time.
      return durationMinutes(given) === undefined ? { kind: "once", run_at: isoOf(schedule.atMs) } : { kind: "once" };
  }
}

function scheduleOf(given: Json): Schedule {
  const { kind, at_ms: at, every_ms: every, expr, tz } = objectOf(given, "schedule");
  if (kind === "at") return { type: "at", atMs: numberOf(at ?? Number.NaN, "at_ms") };
  if (kind === "every") return { type: "every", everyMs: numberOf(every ?? 0, "every_ms") };
  return { type: "cron", expression: textOrNone(expr), zone: textOrNone(tz) || "UTC" };
}

/** `{schedule, now}`: when it is due next. */
export function cronNextCase(input: Json): unknown {
  const { schedule, now } = objectOf(input, "input");
  const next = nextRun(scheduleOf(schedule ?? {}), Date.parse(textOf(now, "now")));
  return { next_utc: next === undefined ? null : isoOf(next) };
}

/** `{schedule}`: a time zone is one of a clock alone, which the type of ours already says. */
export function cronValidateCase(input: Json): unknown {
  const { schedule = {} } = objectOf(input, "input");
  const { kind, tz } = objectOf(schedule, "schedule");
  const isStray = kind !== "cron" && textOrNone(tz) !== "";
  return { accepted: !isStray && checked(scheduleOf(schedule)).type !== "bad" };
}

/** `{schedule}` in words; ours always names the time zone. */
export function cronFormatCase(input: Json): unknown {
  const { schedule = {} } = objectOf(input, "input");
  const text = scheduleText(scheduleOf(schedule));
  const isNamed = textOrNone(objectOf(schedule, "schedule")["tz"]) !== "";
  return { text: isNamed ? text : text.replace(/ \(UTC\)$/u, "") };
}
