import { interruptIn, STATES } from "../../test/durability/interrupts.ts";
import { counter } from "../report/progress.mjs";

export const about =
  "a turn interrupted in eleven states, 20 times in each: how fast it is, and what is left (ROUNDS=n)";

const ROUNDS = 20;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const rounds = Number(process.env["ROUNDS"] ?? ROUNDS);
  const progress = counter("interrupts", rounds * STATES.length);
  /** @type {import("../../test/durability/interrupts.ts").Interrupted[]} */
  const all = [];
  let broken = 0;
  for (const state of STATES)
    for (let round = 0; round < rounds; round++) {
      try {
        all.push(await interruptIn(state));
      } catch (error) {
        broken++;
        console.log(`${state.name}: ${String(error)}`);
      }
      progress.step();
    }
  progress.end();
  const survivors = all.reduce((sum, each) => sum + each.survivors, 0);
  return [
    { figure: "interrupted turns that were not as they must be", value: String(broken), goal: "0", pass: broken === 0 },
    figure(
      "acknowledged",
      all.map((each) => each.acknowledgedMs),
      100,
    ),
    figure(
      "stream of the model closed",
      all.flatMap((each) => each.closedMs ?? []),
      250,
    ),
    figure(
      "tree of processes dead",
      all.flatMap((each) => each.goneMs ?? []),
      3_000,
    ),
    { figure: "processes that survived", value: String(survivors), goal: "0", pass: survivors === 0 },
    figure(
      "next message accepted",
      all.map((each) => each.nextMs),
      300,
    ),
  ];
}

/**
 * @param {string} what
 * @param {number[]} times
 * @param {number} goalMs
 * @returns {import("../show.mjs").Figure}
 */
function figure(what, times, goalMs) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? Infinity);
  return {
    figure: `${what}, ms: half, 99 of 100, all (${times.length} times)`,
    value: `${at(0.5)}, ${at(0.99)}, ${at(1)}`,
    goal: `99 of 100 <= ${goalMs}`,
    pass: at(0.99) <= goalMs,
  };
}
