import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failureOfStatus } from "../../src/model/failure/refusal.ts";
import { failureOfThrown } from "../../src/model/failure/thrown.ts";
import { HOSTILE_PIECES } from "../../test/support/hostile-pieces.ts";

export const about = "classifying a failure: the slowest of a hundred, a body of 1 MB, twice as long a text";

const GOALS = { p99: 20, large: 5, growth: 2.5 };

const AROUND = { where: "h:1", nowMs: 0 };
const ROUNDS = 3_000;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const cases = recorded(root);
  const times = timesOf(cases);
  const large = Math.max(...largeBodies(1_000_000).map((body) => best(() => refuse(body))));
  const growth = Math.max(...nasty(4_000).map((text, at) => ratio(nasty(2_000)[at] ?? "", text)));
  return [
    figure(`${cases.length} recorded failures, each at its best: p99`, at(times, 0.99), "µs", GOALS.p99),
    figure(`${cases.length} recorded failures, each at its best: median`, at(times, 0.5), "µs", GOALS.p99),
    figure("a body of 1 MB, of several kinds, the slowest", large / 1_000, "ms", GOALS.large),
    figure("hostile texts of 4,000 characters / 2,000, the worst", growth, "x", GOALS.growth),
  ];
}

/**
 * @param {string} root
 * @returns {{ error: unknown, sent: import("../../src/model/failure/facts.ts").Sent }[]}
 */
function recorded(root) {
  const path = join(root, "test", "conformance", "cases", "hermes.json");
  const cases = JSON.parse(readFileSync(path, "utf8"));
  return cases
    .filter((/** @type {{ area: string }} */ { area }) => area === "error_classification")
    .map((/** @type {{ input: any }} */ { input }) => ({
      error: input.error,
      sent: {
        provider: input.provider ?? "",
        model: input.model ?? "",
        tokens: input.approx_tokens ?? 0,
        messages: input.num_messages ?? 0,
        window: input.context_length,
      },
    }));
}

/**
 * µs of each classification, in order, after the code is warm: of each case the best of many rounds, so that what else
 * runs on the machine is not counted.
 * @param {ReturnType<typeof recorded>} cases
 * @returns {number[]}
 */
function timesOf(cases) {
  const best = cases.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, { error, sent }] of cases.entries()) {
      const began = process.hrtime.bigint();
      failureOfThrown(error, { ...AROUND, sent });
      const took = Number(process.hrtime.bigint() - began) / 1_000;
      best[index] = Math.min(best[index] ?? took, took);
    }
  return best.toSorted((a, b) => a - b);
}

/**
 * @param {number[]} sorted
 * @param {number} share
 * @returns {number}
 */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/**
 * @param {string} body
 */
const refuse = (body) => failureOfStatus({ ...AROUND, status: 400, headers: {}, body });

/**
 * µs, the best of some.
 * @param {() => unknown} run
 * @returns {number}
 */
function best(run) {
  let least = Infinity;
  for (let round = 0; round < 60; round += 1) {
    const began = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - began) / 1_000);
  }
  return least;
}

/**
 * @param {string} shorter
 * @param {string} longer
 * @returns {number}
 */
const ratio = (shorter, longer) => best(() => refuse(longer)) / best(() => refuse(shorter));

/**
 * @param {number} length
 * @returns {string[]}
 */
const largeBodies = (length) => [
  "x".repeat(length),
  JSON.stringify({ error: { message: "y ".repeat(length / 2) } }),
  `<html><title>${"z".repeat(length)}`,
  JSON.stringify(Array.from({ length: length / 20 }, (_, n) => ({ error: { code: n } }))),
  '{"error":'.repeat(length / 9),
];

/**
 * Texts that make a pattern with two ways to match the same try them all.
 * @param {number} length
 * @returns {string[]}
 */
const nasty = (length) => HOSTILE_PIECES.map((piece) => piece.repeat(Math.ceil(length / piece.length)));

/**
 * @param {string} name
 * @param {number} value
 * @param {string} unit
 * @param {number} goal
 * @returns {import("../show.mjs").Figure}
 */
const figure = (name, value, unit, goal) => ({
  figure: name,
  value: `${value.toFixed(2)} ${unit}`,
  goal: `<= ${goal} ${unit}`,
  pass: value <= goal,
});
