import { ratio, typical } from "../../bench/harness/statistics.mjs";
import { COLUMNS, foreignCores, speedTable, takeTable } from "../report/bench-table.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about = "speed beside our own build of the main job, on this machine (about 4 minutes)";

/** @typedef {import("../show.mjs").Figure} Figure */

const OURS = "evander";
/** What this program was when the main job was done: without approvals, guardrails and request records. */
const THEN = "evander-main-job";
/** What all that came since may cost. */
const MAY_COST = 1.1;

/**
 * @param {string} root
 * @returns {Promise<Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const { samples, names } = await takeTable(["bare-fetch", OURS, THEN]);
  console.log(`${speedTable(samples, names)}\n`);
  console.log(`Other programs used ${foreignCores(samples)} cores meanwhile.\n`);
  return COLUMNS.map(({ title, section, group, value, absolute }) => {
    const own = samples[section] ?? [];
    const times = absolute
      ? quotient(typical(own, { peer: OURS, group, value }), typical(own, { peer: THEN, group, value }))
      : ratio(own, { value, above: { peer: OURS, group }, below: { peer: THEN, group } });
    return {
      figure: `${title}, now / then`,
      value: times === undefined ? "not measured" : `${times.toFixed(2)}x`,
      goal: `<= ${MAY_COST}x`,
      pass: times !== undefined && times <= MAY_COST,
    };
  });
}

/**
 * @param {number | undefined} a
 * @param {number | undefined} b
 */
const quotient = (a, b) => (a === undefined || b === undefined || b === 0 ? undefined : a / b);
