import { raceForKeys } from "../../test/properties/key-races.ts";

export const about = "two processes blame the keys of one pool a thousand times while keys are renewed (seconds)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const { blames, renewals, wrong } = await raceForKeys(500);
  return [
    {
      figure: `keys blamed for a request sent with another one, in ${blames} races of two processes`,
      value: `${wrong}, with ${renewals} renewals in between`,
      goal: "0",
      pass: wrong === 0 && blames === 1_000,
    },
  ];
}
