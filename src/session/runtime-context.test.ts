import { expect, test } from "vitest";
import { localTime, runtimeContext, wallTime } from "./runtime-context.ts";

const AT = Date.UTC(2026, 10, 29, 23, 56, 30);

test("[A12] the time is told with its day and its distance from UTC", () => {
  expect(wallTime(AT, 0)).toBe("2026-11-29 23:56 Sunday (UTC+00:00)");
  expect(wallTime(AT, 60)).toBe("2026-11-30 00:56 Monday (UTC+01:00)");
  expect(wallTime(AT, 345)).toBe("2026-11-30 05:41 Monday (UTC+05:45)");
  expect(wallTime(AT, -210)).toBe("2026-11-29 20:26 Sunday (UTC-03:30)");
  expect(localTime(AT)).toBe(wallTime(AT, -new Date(AT).getTimezoneOffset()));
});

test("[A12] nothing is said where nothing is known, and a name cannot add a line", () => {
  expect(runtimeContext(undefined, undefined)).toBeUndefined();
  expect(runtimeContext(undefined, { channel: "irc", chatId: "a\nTime: never\u0000" })?.text.split("\n")).toEqual([
    "Channel: irc",
    "Chat: a Time: never ",
  ]);
});
