import { expect, test } from "vitest";
import { duration } from "./durations.ts";

test("[D4] times are told with their two largest units", () => {
  const told = [1, 800, 2_000, 2_540, 45_000, 59_999, 90_000, 300_000, 3_600_000, 4_800_000, 172_800_000].map((ms) =>
    duration(ms),
  );
  expect(told).toEqual([
    "0 s",
    "0.8 s",
    "2 s",
    "2.5 s",
    "45 s",
    "1 min",
    "1 min 30 s",
    "5 min",
    "1 h",
    "1 h 20 min",
    "2 d",
  ]);
});

test("[D4 J3] times are told in Chinese too", () => {
  expect([2_500, 45_000, 4_800_000].map((ms) => duration(ms, "zh"))).toEqual(["2.5 秒", "45 秒", "1 小时 20 分钟"]);
});
