import { expect, test } from "vitest";
import type { ModelFacts } from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { costReport } from "../../src/session/cost-report.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { billOfRow, COST_ROWS } from "../support/cost-rows.ts";
import { guarded } from "../support/tools.ts";
import { delta, PAUSE, refuse, reply, replyFrames, say, type Step, stream } from "../support/wire-script.ts";

test.each(COST_ROWS)("[C16][X4] the bill of a turn, by hand: $name", async (row) => {
  const { cost, knownUsd, rows } = await billOfRow(row);
  expect(cost).toMatchObject({ status: row.status, usd: row.status === "unknown" ? null : row.micros / 1e6 });
  expect({ known: knownUsd, lines: rows.length }).toEqual({ known: row.micros / 1e6, lines: row.lines });
});

const facts: ModelFacts = {
  provider: "custom",
  model: "fake-1",
  input: ["text"],
  quirks: [],
  prices: { input: 2, output: 8, asOf: "2026-11-01", source: "a list" },
};
/** One cent: 1000 × 2 + 1000 × 8 millionths. */
const CENT = { prompt_tokens: 1_000, completion_tokens: 1_000 };
const tools = [tool("echo", () => Promise.resolve("ok"))];
const work = (id: number): Step => reply({ calls: [{ id: `c${id}`, name: "echo", arguments: { id } }], usage: CENT });
const works = (count: number): Step[] => Array.from({ length: count }, (_, id) => work(id));
const summary = (): Step => reply({ text: "This much is done.", usage: CENT });
const done = (): Step => reply({ text: "Done.", usage: CENT });

const typed = (all: readonly Fact[], type: Fact["type"]): Fact[] => all.filter((fact) => fact.type === type);

test("[X4] a turn warns at four fifths, keeps the last word inside its limit, and ends as money_limit with code 21", async () => {
  await using world = await bench(...works(9), summary());
  const bot = world.agent({ tools, facts, maxCost: 0.1 });
  const result = await bot.run("go");
  expect(result).toMatchObject({
    ok: false,
    completed: false,
    failed: false,
    answer: "This much is done.",
    exit: {
      reason: "money_limit",
      code: 21,
      detail: { of: "turn", why: "limit", spentUsd: 0.09, limitUsd: 0.1 },
    },
    cost: { usd: 0.1, status: "estimated", source: "a list, 2026-11-01" },
    attempts: 10,
  });
  expect(result.exit.next.map(({ command }) => command)).toEqual([
    "evander turn cost last",
    `evander -p "continue" --resume ${result.sessionId} --max-cost 0.2`,
  ]);
  expect(typed(world.facts(), "money-warning")).toEqual([{ type: "money-warning", spentUsd: 0.08, limitUsd: 0.1 }]);
  const last = world.provider.requests.at(-1)?.body;
  expect(last?.tool_choice).toBe("none");
  expect(String(last?.messages.at(-1)?.content)).toMatch(/^The money limit is reached\./u);
});

test("[X4] a limit is passed by no more than one request, also by one that failed; there is then no last word", async () => {
  const broke = stream(replyFrames({ text: "x".repeat(4_000_000) }).slice(0, 2), { end: "reset" });
  await using world = await bench(work(0), broke);
  const bot = world.agent({ tools, facts, maxCost: 0.05, retry: { baseMs: 1, maxMs: 1 } });
  const result = await bot.run("go");
  expect(result.exit).toMatchObject({ reason: "money_limit", code: 21 });
  // Nobody said what the broken one took: what was seen of it counts under the limit, and is told as unknown.
  expect(result.cost).toEqual({ usd: null, status: "unknown", source: null });
  expect(world.provider.requests).toHaveLength(2);
  expect(result.exit.detail?.["spentUsd"]).toBeGreaterThan(0.05);
});

test("[X4] refused attempts cost nothing, and what is held back for the last word stays", async () => {
  await using world = await bench(work(0), refuse(429, { error: { message: "slow down" } }), work(1), summary());
  const bot = world.agent({ tools, facts, maxCost: 0.03, retry: { baseMs: 1, maxMs: 1 } });
  expect(await bot.run("go")).toMatchObject({
    exit: { reason: "money_limit" },
    answer: "This much is done.",
    cost: { usd: 0.03, status: "estimated" },
    attempts: 4,
  });
});

test("[X4] a model whose price nobody knows is not asked under a limit, and the next step is to say the price", async () => {
  await using world = await bench();
  const { prices: _, ...unpriced } = facts;
  const result = await world.agent({ facts: unpriced, maxCost: 1 }).run("go");
  expect(result).toMatchObject({ exit: { reason: "money_limit", code: 21 }, answer: null, cost: { usd: 0 } });
  expect(result.error?.message).toContain("Nobody knows what this model costs");
  expect(result.exit.next.map(({ command }) => command)).toEqual([
    "evander config set models.custom/fake-1.prices.input USD",
    "evander config set models.custom/fake-1.prices.output USD",
  ]);
  expect(world.provider.requests).toHaveLength(0);
});

test("[X4] what is included needs no price under a limit", async () => {
  await using world = await bench(say("Done."));
  const { prices: _, ...unpriced } = facts;
  const result = await world.agent({ facts: { ...unpriced, included: true }, maxCost: 0.01 }).run("go");
  expect(result).toMatchObject({ ok: true, cost: { usd: 0, status: "included", source: "custom" } });
});

test("[X4] where somebody can answer, the turn asks for more: yes gives as much again, no leaves the last word", async () => {
  await using world = await bench(...works(5), summary());
  const bot = world.agent({ tools, facts, maxCost: 0.03, approvals: "ask" });
  const turn = bot.start("go", { sessionId: "s" });
  const answers = [true, false];
  const questions: string[] = [];
  for await (const event of turn) {
    if (event.type !== "money-asked") continue;
    const lane = await bot.sessions.lane("s");
    questions.push(...lane.asked.map(({ input, why }) => `${input}: ${why}`));
    expect(await turn.approve("money", answers.shift() ?? false)).toBe(true);
  }
  expect(questions).toEqual([
    "spend up to $0.03 more: $0.02 of $0.03 is spent, and the next request would not fit",
    "spend up to $0.03 more: $0.05 of $0.06 is spent, and the next request would not fit",
  ]);
  expect(await turn).toMatchObject({
    exit: { reason: "money_limit" },
    answer: "This much is done.",
    cost: { usd: 0.06 },
  });
  expect(await turn.approve("money", true)).toBe(false);
});

test("[X4] one purse: a session's limit counts earlier turns and what was done on its account, a day's all sessions", async () => {
  await using world = await bench(done(), reply({ text: "A title", usage: CENT }), done(), done());
  const bot = world.agent({ tools, facts, maxSessionCost: 0.025, maxDayCost: 0.035 });
  expect((await bot.run("one", { sessionId: "s" })).ok).toBe(true);
  expect((await bot.runSpec({ prompt: "Name this.", purpose: "title", parent: "s" })).ok).toBe(true);
  const third = await bot.run("two", { sessionId: "s" });
  expect(third).toMatchObject({ ok: true, answer: "Done." });
  expect(await bot.run("three", { sessionId: "s" })).toMatchObject({
    exit: { reason: "money_limit", detail: { of: "session", limitUsd: 0 } },
    attempts: 0,
  });
  expect(await bot.runSpec({ prompt: "Name this.", purpose: "title", parent: "s" })).toMatchObject({
    exit: { reason: "money_limit" },
    attempts: 0,
  });
  expect((await bot.run("elsewhere", { sessionId: "other" })).ok).toBe(true);
  const spent = await bot.run("again", { sessionId: "third" });
  expect(spent).toMatchObject({ exit: { reason: "money_limit", detail: { of: "day" } }, attempts: 0 });
  expect(spent.exit.next.at(-1)?.command).toContain("--config maxDayCost=0.07");
});

test("[X4] run takes a limit of its own; one that is no amount is refused", async () => {
  await using world = await bench(work(0), summary());
  const bot = world.agent({ tools, facts });
  expect((await bot.run("go", { maxCost: 0.02 })).exit.reason).toBe("money_limit");
  await expect(bot.run("go", { maxCost: 0 })).rejects.toThrow(
    "maxCost must be a number of US dollars above zero; it is 0.",
  );
  expect(() => world.agent({ maxDayCost: Number.NaN })).toThrow("maxDayCost must be a number");
});

test("[COST-04] a budget counts every kind of token at its price, and attempts that failed or were cancelled, once", async () => {
  const cached = {
    prompt_tokens: 2_613,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 2_560 },
  };
  const prices = { input: 2, output: 8, cacheRead: 0.2, asOf: "2026-11-01", source: "a list" };
  await using world = await bench(
    refuse(503, { error: { message: "overloaded" } }),
    stream([delta({ content: "no" }), PAUSE]),
    reply({ text: "Done.", usage: cached }),
  );
  const bot = world.agent({ facts: { ...facts, prices }, maxCost: 1, retry: { baseMs: 1, maxMs: 1 } });
  const turn = bot.start("go");
  await world.provider.paused();
  await turn.redirect("rather so");
  const result = await turn;
  // 53 × 2 + 2560 × 0.2 + 20 × 8 millionths, and one attempt that was cancelled before it said what it took.
  expect(result.cost).toEqual({ usd: null, status: "unknown", source: null });
  const [refused, cancelled, answered] = costReport(
    bot.store.turn("last") ?? { turnId: "", sessionId: "", facts: [], after: [] },
  ).rows;
  expect(refused).toMatchObject({ end: "failed", cost: { usd: 0, status: "actual" } });
  expect(cancelled).toMatchObject({ end: "cancelled", cost: { usd: null, status: "unknown" } });
  expect(answered).toMatchObject({ end: "answered", cost: { usd: 0.000_778, status: "estimated" } });
});

test("[X4] a price list that changes later changes no history, and a parked turn goes on in its purse", async () => {
  const ask = guarded();
  const asks = reply({ calls: [{ id: "g", name: "guarded", arguments: {} }], usage: CENT });
  await using world = await bench(asks, reply({ text: "Done.", usage: CENT }));
  const bot = world.agent({ tools: [ask], facts, maxCost: 0.05, approvals: "park" });
  expect((await bot.run("go", { sessionId: "s" })).exit.reason).toBe("parked_for_approval");
  await bot.close();
  const dearer = { ...facts, prices: { input: 20, output: 80, asOf: "2026-12-01", source: "a list" } };
  const later = world.agent({ tools: [ask], facts: dearer, approvals: "all" });
  const result = await (await later.sessions.lane("s")).resume().result;
  expect(result).toMatchObject({
    answer: "Done.",
    cost: { usd: 0.11, source: "a list, 2026-11-01; a list, 2026-12-01" },
  });
  const report = costReport(later.store.turn("last") ?? { turnId: "", sessionId: "", facts: [], after: [] });
  expect(report.limit).toEqual({ of: "turn", usd: 0.05, leftUsd: 0.05 });
  expect(report.rows.map(({ cost }) => [cost.usd, cost.source])).toEqual([
    [0.01, "a list, 2026-11-01"],
    [0.1, "a list, 2026-12-01"],
  ]);
});
