import { expect, test } from "vitest";
import type { Script } from "../support/fake-provider.ts";
import { type PricedProgram, pricedProgram } from "../support/priced-program.ts";
import { refuse, reply, say } from "../support/wire-script.ts";

const usage = {
  prompt_tokens: 10_000,
  completion_tokens: 100,
  prompt_tokens_details: { cached_tokens: 7_000, cache_write_tokens: 2_000 },
  cache_creation: { ephemeral_1h_input_tokens: 500 },
  completion_tokens_details: { reasoning_tokens: 40 },
};
const prices = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite5m: 3.75,
  cacheWrite1h: 6,
  asOf: "2026-11-01",
  source: "a list",
};
const work = (id: number): Script =>
  reply({ calls: [{ id: `c${id}`, name: "echo", arguments: { text: `${id}` } }], usage });
const answer = reply({ text: "Done.", usage });

/** 1000 × 3 + 7000 × 0.3 + 1500 × 3.75 + 500 × 6 + 100 × 15 millionths: 0.015225. */
const EACH = 0.015_225;

const priced = (...steps: readonly Script[]): Promise<PricedProgram> => pricedProgram(prices, ...steps);

test("[C16][X4] turn cost: each request with its five kinds of tokens, its price and its status, and their sum", async () => {
  await using scene = await priced(
    work(1),
    refuse(429, { error: { message: "no" } }, { "retry-after-ms": "1" }),
    answer,
  );
  const { world } = scene;
  expect((await world.ask("go")).cost).toEqual({ usd: 2 * EACH, status: "estimated", source: expect.any(String) });
  const told = await world.run(["turn", "cost", "last"]);
  expect(told.code).toBe(0);
  expect(told.stdout.split("\n").map((line) => line.replaceAll(/ {2,}/gu, " | "))).toEqual([
    "request | model | end | input | cache read | cache write 5m | cache write 1h | output | of it thought | cost",
    "1 | fake-1 | answered | 1,000 | 7,000 | 1,500 | 500 | 100 | 40 | $0.015225 estimated",
    "2 | fake-1 | failed | ? | ? | ? | ? | ? | ? | $0 actual",
    "3 | fake-1 | answered | 1,000 | 7,000 | 1,500 | 500 | 100 | 40 | $0.015225 estimated",
    "sum | 2,000 | 14,000 | 3,000 | 1,000 | 200 | 80 | $0.03045 estimated",
    "by a list, 2026-11-01",
    "by nothing is billed for what was refused",
    "",
  ]);
  const json = JSON.parse((await world.run(["turn", "cost", "--json"])).stdout) as object;
  expect(json).toMatchObject({
    cost: { usd: 2 * EACH, status: "estimated" },
    knownUsd: 2 * EACH,
    limit: null,
    rows: [
      {
        request: 1,
        end: "answered",
        tokens: { uncached: 1_000, cacheWrite1h: 500, reasoning: 40 },
        cost: { usd: EACH },
      },
      { request: 2, end: "failed", tokens: null, cost: { usd: 0, status: "actual" } },
      { request: 3 },
    ],
  });
  expect((await world.run(["turn", "cost", "nope"])).code).toBe(2);
});

test.each([-5, 1e300, 12.5, "12", true, [7]])(
  "[X4][C16] a count of %j is none: what was taken is unknown, and so is what it cost",
  async (prompt_tokens) => {
    await using scene = await priced(reply({ text: "Done.", usage: { ...usage, prompt_tokens } }));
    const { world } = scene;
    expect(await world.ask("go")).toMatchObject({ answer: "Done.", cost: { usd: null, status: "unknown" } });
    const [, row] = (await world.run(["turn", "cost", "last"])).stdout.split("\n");
    expect(row?.replaceAll(/ {2,}/gu, " | ")).toBe("1 | fake-1 | answered | ? | ? | ? | ? | ? | ? | unknown");
  },
);

test("[X4] what the days cost, in all sessions", async () => {
  await using scene = await priced(answer, answer);
  const { world } = scene;
  expect((await world.run(["turn", "cost", "--days", "7"])).stdout).toBe("Nothing was asked of a model.\n");
  await world.ask("one");
  await world.ask("two");
  const day =
    /^\d{4}-\d\d-\d\d {2}2 requests, 20,000 tokens in \(14,000 from the cache\), 200 out · about \$0\.0305\n$/u;
  expect((await world.run(["turn", "cost", "--days", "1"])).stdout).toMatch(day);
  expect(JSON.parse((await world.run(["turn", "cost", "--days", "7", "--json"])).stdout)).toMatchObject({
    attempts: 2,
    cost: { usd: 2 * EACH, status: "estimated" },
  });
  const wrong = await world.run(["turn", "cost", "--days", "0"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--days takes a whole number of days from 1 on, not "0".');
});

test("[X4][J1] --max-cost ends a turn with code 21 and a step that raises it, which next runs", async () => {
  await using scene = await priced(work(1), say("So far: one."), answer);
  const { world } = scene;
  const result = await world.ask("go", "--max-cost", "0.04");
  expect(result).toMatchObject({ answer: "So far: one.", exit: { reason: "money_limit", code: 21 } });
  const step = (await world.run(["next"])).stdout.split("\n").findIndex((line) => line.includes("--max-cost 0.08"));
  expect(step).toBeGreaterThanOrEqual(0);
  const next = await world.run(["next", String(step + 1)]);
  expect(next).toMatchObject({ code: 0, stdout: "Done.\n" });
});

test("[X4] the limits are settings: of a turn, a session and a day; a limit that is none is refused", async () => {
  await using scene = await priced(answer);
  const { world } = scene;
  await world.ask("one", "--config", "maxDayCost=0.01");
  expect((await world.ask("two", "--config", "maxDayCost=0.01")).exit).toMatchObject({
    reason: "money_limit",
    detail: { of: "day", limitUsd: 0 },
  });
  const wrong = await world.run(["-p", "go", "--max-cost", "much"]);
  expect(wrong.code).toBe(78);
  expect(wrong.stderr).toContain('--max-cost must be US dollars, more than zero; it is "much".');
});

test("[X4] in a conversation: the cost of each turn behind it, /cost, and a question where the limit is reached", async () => {
  await using scene = await priced(answer, work(1), answer);
  const { world } = scene;
  const seat = world.sit(["one", "--max-cost", "0.04"]);
  await seat.shown("about $0.0152");
  seat.type("/cost\r");
  await seat.shown("Today, in all: 1 request, 10,000 tokens in (7,000 from the cache), 100 out · about $0.0152");
  seat.type("two\r");
  await seat.shown("Allow? [y/N]");
  await seat.shown("money limit needs your approval: $0.015225 of $0.04 is spent");
  seat.type("y\r");
  await seat.shown("✓ answered", "Allow?");
  seat.type("\u0004");
  expect((await seat.ended).stdout).toContain("Done.");
});
