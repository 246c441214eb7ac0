import { expect, test } from "vitest";
import { waitingLine } from "./waiting.ts";

const wait = { type: "retry", sinceMs: 0, untilMs: 2_500, attempt: 2 } as const;

test("[C20 X13] a wait counts down to nothing, with its reason", () => {
  const at = (nowMs: number): string | undefined =>
    waitingLine(wait, nowMs, { language: "en", reason: "HTTP 503" })?.replace("asking again in ", "");
  const behind = "(attempt 2) · HTTP 503";
  expect([0, 500, 1_499, 1_500, 2_499, 2_500, 9_000].map(at)).toEqual([
    `3s ${behind}`,
    `2s ${behind}`,
    `2s ${behind}`,
    `1s ${behind}`,
    `1s ${behind}`,
    `0s ${behind}`,
    `0s ${behind}`,
  ]);
});
