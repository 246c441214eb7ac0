import { afterTools, REQUESTS, REQUESTS_WITH_KEYS } from "../../test/properties/ladder-climb.ts";
import { KEY_TROUBLES, REFUSALS, REPLIES_OF_NONE, worstOf } from "../../test/properties/ladder-search.ts";

export const about = "requests of one turn with the worst model there can be, beside the computed bound (seconds)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const kinds = { nothing: REPLIES_OF_NONE, ...REFUSALS, "its keys": KEY_TROUBLES };
  return Object.entries(kinds).map(([refusal, answers]) => {
    process.stderr.write(`evander: trying every answer in every situation; refused as: ${refusal} …\n`);
    const { requests, situations } = worstOf(afterTools(1), answers);
    const most = answers === KEY_TROUBLES ? REQUESTS_WITH_KEYS : REQUESTS;
    return {
      figure: `nothing but empty, cut, broken and failed replies; refused as: ${refusal}`,
      value: `${requests} requests at worst, ${situations} situations, all tried`,
      goal: `<= ${most}, computed from the limits`,
      pass: requests <= most,
    };
  });
}
