import { expect, test, vi } from "vitest";
import type { Fact } from "../../src/protocol/fact.ts";
import { type Bench, bench } from "../support/agent-in-folder.ts";
import { refuse, say, type Step } from "../support/wire-script.ts";

const FAKE = { clock: "fake", retry: { baseMs: 2_000 } } as const;
const ATTENDED = { ...FAKE, retry: { baseMs: 2_000, maxWaitMs: 600_000 } } as const;
const waits = (on: Bench): number[] =>
  on.facts().flatMap((fact) => (fact.type === "retry-scheduled" ? [fact.delayMs / 1_000] : []));
const busy = (retryAfter: string): Step =>
  refuse(429, { error: { message: "slow down" } }, { "retry-after": retryAfter });

test("[D4] waits double, and up to half is added at random", async () => {
  const down = refuse(503, { error: { message: "down" } });
  await using on = await bench(down, down, say("up"));
  expect(await on.agent(FAKE).run("go")).toMatchObject({ answer: "up", attempts: 3, retries: 2 });
  const [first = 0, second = 0] = waits(on);
  expect(first).toBeGreaterThanOrEqual(2);
  expect(first).toBeLessThanOrEqual(3);
  expect(second).toBeGreaterThanOrEqual(4);
  expect(second).toBeLessThanOrEqual(6);
});

test("[D4] where nobody attends, a wait above 30 s is not begun: the exit names it", async () => {
  await using on = await bench(busy("31"), busy("30"), say("up"));
  const bot = on.agent(FAKE);
  const result = await bot.run("go");
  expect(result).toMatchObject({ ok: false, attempts: 1, error: { retryAfterMs: 31_000 } });
  expect(result.exit).toMatchObject({ reason: "all_retries_exhausted_no_response", code: 75 });
  expect(await bot.run("go")).toMatchObject({ answer: "up" });
  expect(waits(on)).toEqual([30]);
});

test("[D4] whoever attends waits as long as the server asks, ten minutes at most", async () => {
  await using on = await bench(busy("400"), busy("600"), say("up"), busy("7200"));
  const bot = on.agent(ATTENDED);
  expect(await bot.run("go")).toMatchObject({ answer: "up" });
  expect(waits(on)).toEqual([400, 600]);
  // Nobody asks before the time, of which an hour is kept; who waits in vain is told how long it still takes.
  const result = await bot.run("and?");
  expect(result).toMatchObject({ ok: false, error: { retryAfterMs: 2_400_000 } });
  expect(waits(on)).toEqual([600, 600]);
});

const OVERLOADED = refuse(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } });

test("[D5] an overload that is known to last has three short waits, then long ones, and eight attempts in all", async () => {
  await using on = await bench(...Array.from({ length: 8 }, () => OVERLOADED));
  const result = await on.agent(ATTENDED).run("go");
  expect(result).toMatchObject({ attempts: 8, exit: { reason: "all_retries_exhausted_no_response" } });
  const [, , third = 0, ...long] = waits(on);
  expect(third).toBeLessThanOrEqual(12);
  const table = [15, 30, 60, 120];
  expect(long).toHaveLength(table.length);
  long.forEach((seconds, at) => {
    expect(seconds).toBeGreaterThanOrEqual(table[at] ?? 0);
    expect(seconds).toBeLessThanOrEqual(1.2 * (table[at] ?? 0));
  });
});

test("[D5] where nobody attends, the long wait that is not begun is named", async () => {
  await using on = await bench(...Array.from({ length: 5 }, () => OVERLOADED));
  expect(await on.agent(FAKE).run("go")).toMatchObject({ attempts: 5, error: { retryAfterMs: 30_000 } });
});

test("[D15] a persistent turn waits until the server is well again, or says the same ten times in a row", async () => {
  const down = (why: string): Step => refuse(503, { error: { message: why } });
  const course = Array.from({ length: 14 }, (_, at) => down(at % 2 === 0 ? "down" : "starting"));
  await using on = await bench(...course, busy("3600"), say("up"), ...Array.from({ length: 13 }, () => down("down")));
  const bot = on.agent(FAKE);
  const seen: Fact["type"][] = [];
  const turn = bot.start("go", { retry: "persistent" });
  for await (const event of turn)
    if (event.type === "model-failure" || event.type === "retry-scheduled") seen.push(event.type);
  // An hour's limit is asked about each minute, and no request is made for it.
  expect(await turn).toMatchObject({ answer: "up", attempts: 15 + 60 });
  expect(waits(on).every((seconds) => seconds <= 60)).toBe(true);
  expect(waits(on).at(-1)).toBe(60);
  expect(seen).toEqual(Array.from({ length: 14 + 60 }, () => ["model-failure", "retry-scheduled"]).flat());
  expect(await bot.run("and?", { retry: "persistent" })).toMatchObject({ ok: false, attempts: 10 });
  expect(await bot.run("and?")).toMatchObject({ ok: false, attempts: 3 });
  expect(() => bot.start("x", { retry: "for ever" as "standard" })).toThrow(RangeError);
});

test("[B5] [D4] a stop in a wait ends it at once", async () => {
  await using on = await bench(refuse(503, { error: { message: "down" } }));
  const bot = on.agent({ retry: { baseMs: 600_000, maxMs: 600_000, maxWaitMs: 600_000 } });
  const turn = bot.start("go");
  try {
    for await (const event of turn) {
      if (event.type !== "retry-scheduled") continue;
      // From here on no time passes: what waited for any would never end.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      await turn.interrupt();
    }
    expect((await turn).exit.reason).toBe("interrupted_by_user");
  } finally {
    vi.useRealTimers();
  }
});
