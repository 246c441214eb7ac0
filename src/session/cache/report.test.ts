import { expect, test } from "vitest";
import type { Fact } from "../../protocol/fact.ts";
import type { Price } from "../../protocol/money.ts";
import { NO_USAGE, type Usage } from "../../protocol/outcome.ts";
import type { TimedFact } from "../../protocol/store.ts";
import { cacheLines } from "./lines.ts";
import { type CacheReport, cacheReport } from "./report.ts";

/** One request, what it took, and when; each is a turn of its own. */
interface Asked {
  readonly head: string;
  readonly tail?: string;
  readonly usage?: Partial<Usage>;
  readonly atMs?: number;
  readonly model?: string;
  readonly price?: Price;
  readonly program?: string;
}

/** What is said of the last of them. */
function reportOn(...asked: readonly Asked[]): CacheReport {
  const facts = asked.flatMap(({ usage, atMs = 0, model = "m", price, program }, at) => {
    const list: Fact[] = [
      {
        type: "turn-start",
        turnId: `t${at}`,
        seq: 2 * at,
        message: { role: "user", parts: [] },
        model,
        provider: "p",
        maxIterations: 9,
        ...(program !== undefined && { program }),
      },
      { type: "attempt-start", attempt: 1, iteration: 1, model, ...(price !== undefined && { price }) },
      {
        type: "assistant-message",
        seq: 2 * at + 1,
        message: { role: "assistant", parts: [] },
        finish: "stop",
        ...(usage !== undefined && { usage: { ...NO_USAGE, ...usage } }),
      },
    ];
    return list.map((fact): TimedFact => ({ atMs, fact }));
  });
  const last = asked.length - 1;
  const turn = { turnId: `t${last}`, sessionId: "s", facts: facts.slice(-3), after: [] };
  return cacheReport(turn, {
    record: () => ({ sessionId: "s", title: "", createdMs: 0, facts }),
    requests: (turnId) =>
      asked
        .filter((_, at) => `t${at}` === turnId)
        .map(({ head, tail = "]}" }) => ({ attempt: 1, body: `${head}${tail}`, head: head.length })),
  });
}

const said = (text: string): string => `{"role":"user","content":${JSON.stringify(text)}}`;
const LONG = "x".repeat(8_000);
/** Some 2,000 tokens, and as many for each message. */
const opening = `{"model":"m","tools":[{"type":"function","function":{"name":"look","description":"${LONG}"}}],"messages":[`;
const head = (...messages: readonly string[]): string => `${opening}${messages.map(said).join()}`;
const one = head(`a${LONG}`);
const two = head(`a${LONG}`, "b");
const first: Asked = { head: one, usage: { input: 4_000, cacheRead: 1 } };

const missesOf = ({ rows }: CacheReport): readonly (readonly [string, number])[] =>
  rows.flatMap(({ misses }) => misses.map(({ cause, tokens }) => [cause.type, tokens] as const));

test("[X5] what differs and what is equal and was not read are told apart, each with its tokens", () => {
  const report = reportOn(first, { head: head(`c${LONG}`), usage: { input: 4_000 }, atMs: 600_000 });
  const [differing = ["", 0], equal = ["", 0], ...more] = missesOf(report);
  expect([differing[0], equal[0], more]).toEqual(["history", "lifetime", []]);
  expect(differing[1] + equal[1]).toBeGreaterThan(3_980);
  expect(Math.abs(differing[1] - equal[1])).toBeLessThan(100);
  expect(report.missed).toBe(differing[1] + equal[1]);
});

test("[X5] what is shorter than a provider caches, or comes in its steps, is no miss", () => {
  const short = reportOn({ head: one, usage: { input: 1_000, cacheRead: 1 } }, { head: two, usage: { input: 1_010 } });
  expect(short.rows[0]).toMatchObject({ predicted: 0, misses: [] });
  const inSteps = (model: string, cacheRead: number): CacheReport =>
    reportOn({ ...first, model }, { head: two, model, usage: { input: 4_010, cacheRead } });
  expect(missesOf(inSteps("m", 3_840))).toEqual([]);
  expect(missesOf(inSteps("m", 3_700))).toEqual([["provider", expect.any(Number)]]);
  expect(missesOf(inSteps("gemini-2.5-flash", 3_072))).toEqual([]);
  expect(missesOf(inSteps("gemini-2.5-pro", 0))).toEqual([]);
});

test("[X5] a provider that says it read nothing is taken at its word from the first request on; one that says nothing is not blamed", () => {
  const later = { head: two, atMs: 600_000 };
  const told = reportOn({ head: one, usage: { input: 4_000, cacheTold: true } }, { ...later, usage: { input: 4_010 } });
  expect([missesOf(told), told.silent]).toEqual([[["lifetime", expect.any(Number)]], []]);
  const silent = reportOn({ head: one, usage: { input: 4_000 } }, { ...later, usage: { input: 4_010 } });
  expect([missesOf(silent), silent.silent]).toEqual([[], ["m"]]);
});

test("[X5] Claude has nothing of what was not marked", () => {
  const model = "claude-sonnet-4-5";
  expect(reportOn({ ...first, model }, { head: two, model, usage: { input: 4_010 } }).rows[0]).toMatchObject({
    predicted: 0,
    misses: [],
  });
});

test("[X5] what is no request any more is compared with nothing, and nothing is blamed", () => {
  for (const broken of ["", "[]", `{"messages":[`, `{"messages":7,"tools":{"a":1},"system":[3]`, "null"]) {
    expect(missesOf(reportOn({ ...first, head: broken, tail: "" }, { head: two, usage: { input: 4_010 } }))).toEqual(
      [],
    );
    const { rows } = reportOn(first, { head: broken, tail: "", usage: { input: 4_010, cacheRead: 4_000 } });
    expect(rows[0]?.misses).toEqual([]);
  }
});

test("[X5] private messages behind the head are not predicted", () => {
  const note = `,${said(`n${LONG}`)}]}`;
  const { rows } = reportOn({ ...first, tail: note, usage: { input: 6_000, cacheRead: 1 } }, { head: two });
  expect(rows[0]?.differs).toBeNull();
  expect(rows[0]?.predicted).toBeGreaterThan(3_900);
  expect(rows[0]?.predicted).toBeLessThan(4_100);
  // The same where what follows stands in the same message as the one before it, and both have to be read.
  const marked = opening.replace("look", `look","cache_control":{"type":"ephemeral"},"x":"`);
  const again = reportOn(
    { head: `${marked}${said(`a${LONG}`)}`, tail: note, usage: { input: 6_000, cacheRead: 1 } },
    { head: `${marked}${said(`a${LONG}`)},${said("b")}` },
  );
  expect(again.rows[0]?.differs).toBeNull();
  expect(again.rows[0]?.equal).toBeLessThan(4_100);
});

test("[X5] a picture counts by what a model makes of it, not by its bytes", () => {
  const url = `data:image/png;base64,${"iVBO".repeat(100_000)}`;
  const picture = `{"role":"user","content":[{"type":"image_url","image_url":{"url":"${url}"}}]}`;
  const report = reportOn(
    { head: `${opening}${picture},${said(`a${LONG}`)}`, usage: { input: 5_600, cacheRead: 1 } },
    { head: `${opening}${picture},${said(`b${LONG}`)}`, usage: { input: 5_600, cacheRead: 3_584 } },
  );
  expect(report.rows[0]?.equal).toBeGreaterThan(3_500);
  expect(report.rows[0]?.equal).toBeLessThan(3_800);
  expect(missesOf(report)).toEqual([["history", expect.any(Number)]]);
});

const list = { input: 3, output: 15, asOf: "2026-11-01", source: "a list" };

test.each([
  ["written again for minutes", { ...list, cacheRead: 0.3, cacheWrite5m: 3.75 }, { cacheWrite: 4_010 }, 3.45],
  [
    "written again for an hour",
    { ...list, cacheRead: 0.3, cacheWrite1h: 6 },
    { cacheWrite: 4_010, cacheWrite1h: 4_010 },
    5.7,
  ],
  ["read as input", { ...list, cacheRead: 0.3 }, {}, 2.7],
  ["a price of the provider's own", { ...list, cacheRead: 0.3 }, { costUsd: 7 }, 2.7],
  ["included", { included: true, source: "a plan" }, {}, 0],
  ["nobody knows what a cache costs", list, {}, null],
  ["nobody knows any price", undefined, {}, null],
] as const)("[X5] [X4] the price of a miss: %s", (_name, price, usage, more) => {
  const report = reportOn(
    { ...first, ...(price !== undefined && { price }) },
    { head: two, usage: { input: 4_010, ...usage } },
  );
  const [miss] = report.rows[0]?.misses ?? [];
  const near: unknown = expect.closeTo(((miss?.tokens ?? 0) * (more ?? 0)) / 1e6, 6);
  const usd = more === null ? null : near;
  expect([miss?.cost.usd, report.cost.usd]).toEqual([usd, usd]);
  const words = more === null ? /tokens not read, nobody knows at what price$/u : /tokens not read, \$[\d.]+ more$/u;
  expect(cacheLines(report, "en").at(-1)).toMatch(words);
});

test("[X5] an upgrade from a version that did not write down which it was", () => {
  const report = reportOn(first, {
    head: head(`c${LONG}`),
    program: "2.0.0",
    usage: { input: 4_000, cacheRead: 1_920 },
  });
  expect(missesOf(report)).toEqual([["program", expect.any(Number)]]);
  expect(cacheLines(report, "en").at(-1)).toContain("Evander was upgraded from an earlier version to 2.0.0");
});
