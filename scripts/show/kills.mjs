import { availableParallelism } from "node:os";
import { checkDeath } from "../../test/durability/death.ts";
import { POINTS } from "../../test/durability/points.ts";
import { newTally, randomKills } from "../../test/durability/random-kills.ts";
import { counter } from "../report/progress.mjs";

export const about = "the program killed at named points and at random times (KILLS=n, SEED=n; about three minutes)";

const GOAL = 500;
const RECOVERY_MS = 2_000;
/** Places where a process died: a shape of turn and the newest fact in it. */
const PLACES = 15;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const kills = Number(process.env["KILLS"] ?? GOAL);
  const seed = Number(process.env["SEED"] ?? 1);
  const cells = await allCells();
  const { tally, violations } = await atRandom(kills, seed);
  const places = Object.entries(tally.at).sort(([, a], [, b]) => b - a);
  console.log(`Where they died: ${places.map(([place, times]) => `${place} ${times}`).join(", ")}.`);
  return [
    {
      figure: "cells of points and shapes that passed",
      value: `${cells.passed} of ${cells.all} (${cells.none} have no such point)`,
      goal: "all",
      pass: cells.passed === cells.all,
    },
    {
      figure: `kills at random times, from seed ${seed}`,
      value: String(tally.kills),
      goal: String(kills),
      pass: tally.kills === kills,
    },
    {
      figure: "of them in a turn that a kill had left",
      value: String(tally.double),
      goal: ">= 1 of 10",
      pass: tally.double * 10 >= kills,
    },
    {
      figure: "places where they died",
      value: String(places.length),
      goal: `>= ${PLACES}`,
      pass: places.length >= PLACES,
    },
    { figure: "violations", value: String(violations), goal: "0", pass: violations === 0 },
    {
      figure: "from the start of a process to its going on with the turn, the slowest",
      value: `${Math.round(tally.slowestMs)} ms`,
      goal: `<= ${RECOVERY_MS} ms`,
      pass: tally.slowestMs <= RECOVERY_MS,
    },
  ];
}

async function allCells() {
  const cells = POINTS.flatMap((point) =>
    Object.entries(point.cells).map(([shape, kill]) => ({ ...point, shape, kill })),
  );
  const real = cells.filter(({ kill }) => typeof kill !== "string");
  const progress = counter("cells", real.length);
  let passed = 0;
  await inLanes(real, async ({ id, name, shape, kill, kept }) => {
    try {
      if (typeof kill !== "string")
        await checkDeath(/** @type {import("../../test/durability/shapes.ts").Shape} */ (shape), kill, kept);
      passed++;
    } catch (error) {
      console.log(`${id}, ${name} (${shape}): ${String(error)}`);
    }
    progress.step();
  });
  progress.end();
  return { passed, all: real.length, none: cells.length - real.length };
}

/**
 * @param {number} kills
 * @param {number} seed
 */
async function atRandom(kills, seed) {
  const tally = newTally();
  const progress = counter("kills", kills);
  let violations = 0;
  const lanes = availableParallelism();
  const shares = Array.from({ length: lanes }, (_, at) => ({
    kills: Math.floor(kills / lanes) + Number(at < kills % lanes),
    seed: seed + at * kills,
  }));
  await inLanes(shares, async (share) => {
    try {
      await randomKills({ ...share, onKill: progress.step }, tally);
    } catch (error) {
      violations++;
      console.log(String(error));
    }
  });
  progress.end();
  return { tally, violations };
}

/**
 * @template T
 * @param {readonly T[]} all
 * @param {(one: T) => Promise<void>} use
 */
async function inLanes(all, use) {
  const left = [...all];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await use(next);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}
