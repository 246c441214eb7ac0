import { childDeath } from "../../test/scenario/child-deaths.ts";

export const about = "the program killed at every commit of a turn with two children, and what became of them";

/** More commits than such a turn has. */
const MOST = 60;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const seen = { deaths: 0, with: 0, wrong: 0 };
  for (const takeUp of /** @type {const} */ (["resume", "follow"]))
    for (const when of ["after", "before"])
      for (let at = 1; at <= MOST; at++) {
        const killAt = `${when}-commit:any#${at}`;
        try {
          const { died, childrenThen } = await childDeath(killAt, takeUp);
          if (!died) break;
          seen.deaths += 1;
          if (childrenThen === 2) seen.with += 1;
        } catch (error) {
          seen.deaths += 1;
          seen.wrong += 1;
          console.log(`${killAt}, ${takeUp}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
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
