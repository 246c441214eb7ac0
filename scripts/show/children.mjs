import { childDeath } from "../../test/scenario/child-deaths.ts";

export const about = "the program killed at every commit of a turn with two children, and what became of them";

/** More commits than such a turn has. */
const MOST = 60;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const seen = { deaths: 0, with: 0, wrong: 0 };
  for (const takeUp of /** @type {const} */ (["resume", "follow"]))
    for (const when of ["after", "before"]) await killEverywhere(when, takeUp, seen);
  return [
    { figure: "deaths", value: String(seen.deaths), goal: "≥ 80", pass: seen.deaths >= 80 },
    {
      figure: "of them with two children running or done",
      value: String(seen.with),
      goal: "≥ 40",
      pass: seen.with >= 40,
    },
    {
      figure: "a child that ran twice, was lost, or was not paid for exactly once",
      value: String(seen.wrong),
      goal: "0",
      pass: seen.wrong === 0,
    },
  ];
}

/**
 * @param {string} when
 * @param {"resume" | "follow"} takeUp
 * @param {{ deaths: number, with: number, wrong: number }} seen
 */
async function killEverywhere(when, takeUp, seen) {
  for (let at = 1; at <= MOST; at++) {
    const killAt = `${when}-commit:any#${at}`;
    const death = await childDeath(killAt, takeUp).catch((/** @type {unknown} */ error) => {
      console.log(`${killAt}, ${takeUp}: ${String(error)}`);
      return undefined;
    });
    if (death?.died === false) return;
    seen.deaths += 1;
    if (death === undefined) seen.wrong += 1;
    else if (death.childrenThen === 2) seen.with += 1;
  }
}
