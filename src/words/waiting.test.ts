import { expect, test } from "vitest";
import { waitingLine } from "./waiting.ts";

const reply = { type: "model-reply", sinceMs: 0, untilMs: null, model: "m", attempt: 1 } as const;
const tools = { type: "tools", sinceMs: 0, untilMs: null, names: ["a", "b"] } as const;
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

test("[B17 X13] what is waited for without an end counts the seconds since it began", () => {
  const at = (nowMs: number): (string | undefined)[] =>
    ([reply, tools] as const).map((waiting) => waitingLine(waiting, nowMs, { language: "en", reason: "" }));
  expect(at(999)).toEqual(["waiting for m … 0s", "running a, b … 0s"]);
  expect(at(1_000)).toEqual(["waiting for m … 1s", "running a, b … 1s"]);
  expect(at(61_999)).toEqual(["waiting for m … 61s", "running a, b … 61s"]);
});
