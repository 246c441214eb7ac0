import { expect, test } from "vitest";
import type { Clock } from "../../protocol/ports.ts";
import { within } from "./within.ts";

const YEARS = 10 * 365 * 86_400_000;

/** A wall clock that jumps with each sleep; the time that passes is told by `elapsed` alone. */
function jumping(jumpMs: number): Clock {
  let [wallMs, passedMs] = [Date.UTC(2026, 0), 0];
  return {
    now: () => wallMs,
    elapsed: () => passedMs,
    sleep: async (ms) => {
      passedMs += ms;
      wallMs += ms + jumpMs;
    },
  };
}

test.each([1_000, -1_000, 3_600_000, -3_600_000, YEARS, -YEARS])(
  "[R8][I4] a wait for a server ends after its time where the clock jumps by %i ms",
  async (jumpMs) => {
    const clock = jumping(jumpMs);
    const never = within(
      { clock, limitMs: 30_000, mostMs: 60_000 },
      new AbortController().signal,
      () => new Promise(() => {}),
    );
    await expect(never).rejects.toThrow("nothing came within 30 s");
    expect(clock.elapsed()).toBe(30_000);
  },
);
