import { afterAll, beforeAll, expect, test } from "vitest";
import { runJob } from "../../bench/harness/job.mjs";
import { Mock } from "../../bench/harness/mock.mjs";
import { preparePeers } from "../../bench/harness/peers.mjs";
import type { Sample } from "../../bench/harness/sections.mjs";
import { median, percentile, ratio } from "../../bench/harness/statistics.mjs";

let mock: Mock;

beforeAll(async () => {
  mock = await Mock.start();
});

afterAll(() => mock.stop());

const ITERATIONS = 3;

test.each(["bare-fetch", "bare-http", "bare-buffer-sqlite", "bare-full-group", "evander", "evander-memory"])(
  "%s does the bench's work: every tool call, the text, one request appended to the other",
  async (name) => {
    const [peer] = await preparePeers([name], () => undefined);
    if (peer === undefined) throw new Error(`${name} needs nothing that could be missing`);
    const step = { id: name, iterations: ITERATIONS, tools: 2, chunks: 4, delta: 4, think: 80, keepBodies: true };
    await mock.register(step);

    const job = { kind: "steps", baseUrl: mock.baseUrl("{id}"), steps: [step], listens: true };
    const { result, error } = await runJob(peer, job, { mock, calmMs: 0 });

    expect(error).toBeUndefined();
    expect(result.steps[0].chars).toBeGreaterThanOrEqual(16);
    const { log, prefix } = await mock.log(name);
    expect(log.map(({ iteration }) => iteration)).toEqual([0, 1, 2, 3]);
    expect(prefix).toEqual({ pairs: ITERATIONS, appended: ITERATIONS, sameHead: ITERATIONS });
  },
);

test("a driver that fails is reported, not measured", async () => {
  const [peer] = await preparePeers(["bare-fetch"], () => undefined);
  if (peer === undefined) throw new Error("bare-fetch needs nothing that could be missing");
  const job = { kind: "hello", baseUrl: mock.baseUrl("nobody-registered-this") };
  const { result, error } = await runJob(peer, job, { mock, calmMs: 0 });
  expect(result).toBeUndefined();
  expect(error).toContain("http 404");
});

const sample = (peer: string, round: number, ms: number, foreignCores = 0): Sample => ({
  peer,
  round,
  group: "g",
  values: { ms },
  foreignCores,
});
const which = { value: "ms", above: { peer: "a", group: "g" }, below: { peer: "b", group: "g" } };

test("a ratio is taken inside each round, then the median", () => {
  const slowSecondRound = [sample("a", 0, 2), sample("b", 0, 1), sample("a", 1, 300), sample("b", 1, 100)];
  expect(ratio([...slowSecondRound, sample("a", 2, 5), sample("b", 2, 2)], which)).toBe(2.5);
  expect(ratio([sample("a", 0, 1)], which)).toBeUndefined();
});

test("rounds that other programs disturbed count only where there are not enough calm ones", () => {
  const disturbed = [sample("a", 0, 9, 1), sample("b", 0, 1)];
  const calm = [1, 2].flatMap((round) => [sample("a", round, 2), sample("b", round, 1)]);
  expect(ratio([...disturbed, ...calm], which)).toBe(2);
  expect(ratio(disturbed, which)).toBe(9);
});

test("medians and percentiles interpolate and know nothing of nothing", () => {
  expect(median([3, undefined, 1])).toBe(2);
  expect(percentile([0, 10], 0.99)).toBeCloseTo(9.9);
  expect(median([])).toBeUndefined();
});
