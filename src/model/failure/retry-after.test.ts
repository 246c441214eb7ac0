import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-10-21T07:27:00Z");

const FORMS: readonly (readonly [value: string, ms: number | undefined])[] = [
  ["Wed, 21 Oct 2026 07:28:00 GMT", 60_000],
  ["Wed, 21 Oct 2026 07:28:00", 60_000],
  ["2026-10-21T07:28:00Z", 60_000],
  ["21 Oct 2026 07:28:00", 60_000],
  ["Wednesday, 21-Oct-26 07:28:00 GMT", 60_000],
  ["Wed, 21 Oct 2026 09:28:00 +0200", 60_000],
  ["1e2", 100_000],
  [".5", 500],
  ["1e999", undefined],
  ["Tue, 20 Oct 2026 00:00:00 GMT", 0],
  ["-5", 0],
  ["0", 0],
  ["1.5", 1_500],
  [" 30 ", 30_000],
  ["86400", 86_400_000],
  ["120, 30", 120_000],
  ["", undefined],
  ["soon", undefined],
  ["may be later", undefined],
  ["true", undefined],
  ["31622400", 31_622_400_000],
  ["31622401", undefined],
  ["99999999999999999999", undefined],
  ["Fri, 31 Dec 9999 23:59:59 GMT", undefined],
];

test.for(FORMS)("[ERR-06] retry-after %j", ([value, ms]) => {
  expect(retryAfterMs({ "retry-after": value }, undefined, NOW)).toBe(ms);
});

test("[ERR-06] retry-after-ms wins, garbage in it does not", () => {
  expect(retryAfterMs({ "retry-after-ms": "20", "retry-after": "9" }, undefined, NOW)).toBe(20);
  expect(retryAfterMs({ "retry-after-ms": "x", "retry-after": "9" }, undefined, NOW)).toBe(9_000);
});

test("[ERR-06] a number that is no time anybody would wait says nothing, and what else is said counts", () => {
  expect(retryAfterMs({ "retry-after-ms": "9e99", "retry-after": "9" }, undefined, NOW)).toBe(9_000);
  expect(retryAfterMs({ "retry-after": "7" }, { retry_after: 1e20 }, NOW)).toBe(7_000);
  expect(retryAfterMs({ "x-ratelimit-reset": "9e15" }, { error: { resets_at: 1e300 } }, NOW)).toBeUndefined();
});

test("[ERR-07] the body may carry the wait", () => {
  expect(retryAfterMs({}, { retry_after: 60 }, NOW)).toBe(60_000);
  expect(retryAfterMs({}, { error: { retry_after: "2" } }, NOW)).toBe(2_000);
  expect(retryAfterMs({}, { retry_after: true }, NOW)).toBeUndefined();
});

test("[ERR-06] x-ratelimit-reset as seconds, instant or duration; of a kind only when nothing of it remains", () => {
  expect(retryAfterMs({ "x-ratelimit-reset": "12" }, undefined, NOW)).toBe(12_000);
  expect(retryAfterMs({ "x-ratelimit-reset": String(NOW / 1_000 + 5) }, undefined, NOW)).toBe(5_000);
  expect(retryAfterMs({ "x-ratelimit-reset": String(NOW + 500) }, undefined, NOW)).toBe(500);
  const reset = { "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "20ms" };
  expect(retryAfterMs(reset, undefined, NOW)).toBeUndefined();
  expect(retryAfterMs({ ...reset, "x-ratelimit-remaining-tokens": "0" }, undefined, NOW)).toBe(20);
  expect(retryAfterMs({ ...reset, "x-ratelimit-remaining-requests": "0" }, undefined, NOW)).toBe(360_000);
});
