import { expect, test } from "vitest";
import type { CacheReport } from "../../src/session/cache/report.ts";
import type { Script } from "../support/fake-provider.ts";
import { type PricedProgram, pricedProgram } from "../support/priced-program.ts";
import { ProgramWorld } from "../support/program.ts";
import { reply } from "../support/wire-script.ts";

const prices = { input: 3, output: 15, cacheRead: 0.3, asOf: "2026-11-01", source: "a list" };
const took = (input: number, read?: number): object => ({
  prompt_tokens: input,
  completion_tokens: 9,
  ...(read !== undefined && { prompt_tokens_details: { cached_tokens: read } }),
});
const work = (id: number, usage: object): Script =>
  reply({ calls: [{ id: `c${id}`, name: "echo", arguments: { text: `${id}` } }], usage });
const answer = (usage: object): Script => reply({ text: "Done.", usage });

const scene = (...steps: readonly Script[]): Promise<PricedProgram> => pricedProgram(prices, ...steps);

const cells = (text: string): string[] => text.split("\n").map((line) => line.replaceAll(/ {2,}/gu, " | "));

test("[X5] turn cache: what was predicted and read, and for a miss the place, the cause and the price; as JSON and in Chinese too", async () => {
  await using on = await scene(work(1, took(10_000, 0)), work(2, took(10_400, 9_984)), answer(took(10_800, 2_048)));
  const { world } = on;
  await world.ask("go");
  const told = await world.run(["turn", "cache", "last"]);
  expect(told).toMatchObject({ code: 0, stderr: "" });
  const [head, first, second, third, ...lines] = cells(told.stdout);
  expect(head).toBe("request | model | input | cache read | cache write | predicted | equal | missed");
  expect(first).toBe("1 | fake-1 | 10,000 | 0 | 0");
  expect(second).toMatch(/^2 \| fake-1 \| 10,400 \| 9,984 \| 0 \| 9,9\d\d \| 9,9\d\d$/u);
  expect(third).toMatch(/^3 \| fake-1 \| 10,800 \| 2,048 \| 0 \| 10,3\d\d \| 10,3\d\d \| 8,3\d\d$/u);
  expect(lines.join("\n")).toMatch(
    /^request 3: all that was sent before is equal: it was sent in time, .* → 8,3\d\d tokens not read, \$0\.022\d+ more\n$/u,
  );
  const report = JSON.parse((await world.run(["turn", "cache", "--json"])).stdout) as CacheReport;
  const [miss] = report.rows[2]?.misses ?? [];
  expect(report).toMatchObject({ silent: [], missed: miss?.tokens, cost: { status: "estimated" } });
  expect(report.rows.map(({ request, before, read }) => [request, before?.request, read])).toEqual([
    [1, undefined, 0],
    [2, 1, 9_984],
    [3, 2, 2_048],
  ]);
  expect(miss).toMatchObject({ cause: { type: "provider" }, place: null });
  expect(miss?.cost.usd).toBeCloseTo(((miss?.tokens ?? 0) * 2.7) / 1e6, 9);
  const chinese = await world.run(["turn", "cache", "--lang", "zh"]);
  expect(chinese.stdout).toMatch(/请求 3：之前发送的内容全部相同：.* → 8,3\d\d 个词元未从缓存读取，多付 \$0\.022/u);
  expect((await world.run(["turn", "cache", "nope"])).code).toBe(2);
});

test("[X5] a provider that says nothing of a cache is not blamed: that nobody knows is said, and where heads differ", async () => {
  await using on = await scene(work(1, took(10_000)), answer(took(10_400)));
  const { world } = on;
  await world.ask("go");
  const { stdout } = await world.run(["turn", "cache"]);
  const [, first, second, said, ...rest] = cells(stdout);
  expect(first).toBe("1 | fake-1 | 10,000 | ? | ?");
  expect(second).toMatch(/^2 \| fake-1 \| 10,400 \| \? \| \? \| 9,9\d\d \| 9,9\d\d$/u);
  expect(said).toBe(
    "fake-1: its provider has said nothing of a cache in this session, so nobody knows what was read from one.",
  );
  expect(rest).toEqual([""]);
});

test("[X5] a turn in which nothing was asked, and a session whose requests are not kept here", async () => {
  await using on = await scene(work(1, took(10_000, 0)), answer(took(10_400, 9_984)));
  const { world } = on;
  expect((await world.run(["turn", "cache"])).code).toBe(2);
  await world.ask("go");
  const { stdout: record } = await world.run(["session", "export", "last"]);
  await using elsewhere = await ProgramWorld.open(world.search);
  await elsewhere.run(["session", "import", "-"], record);
  const { stdout } = await elsewhere.run(["turn", "cache"]);
  expect(cells(stdout).slice(1)).toEqual([
    "1 | fake-1 | 10,000 | 0 | 0",
    "2 | fake-1 | 10,400 | 9,984 | 0",
    "What was sent is not kept here: nothing can be held against it.",
    "",
  ]);
});
