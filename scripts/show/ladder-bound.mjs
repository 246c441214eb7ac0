import {
  afterTools,
  ATTENDED,
  REQUESTS,
  REQUESTS_OVERLOADED,
  REQUESTS_WITH_KEYS,
  requestsOf,
} from "../../test/properties/ladder-climb.ts";
import {
  CHAIN_OF_NONE,
  KEY_TROUBLES,
  OVERLOADS,
  REFUSALS,
  REPLIES_OF_NONE,
  worstOf,
} from "../../test/properties/ladder-search.ts";

export const about = "requests of one turn with the worst model there can be, beside the computed bound (seconds)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const kinds = { nothing: REPLIES_OF_NONE, ...REFUSALS, "its keys": KEY_TROUBLES };
  const alone = Object.entries(kinds).map(([refusal, answers]) => {
    process.stderr.write(`evander: trying every answer in every situation; refused as: ${refusal} …\n`);
    const what = `nothing but empty, cut, broken and failed replies; refused as: ${refusal}`;
    return figure(what, worstOf(afterTools(1), answers), answers === KEY_TROUBLES ? REQUESTS_WITH_KEYS : REQUESTS);
  });
  process.stderr.write("evander: the same of an overloaded server …\n");
  const patient = afterTools(1, 0, ATTENDED);
  const overloaded = figure("an overload that lasts, attended", worstOf(patient, OVERLOADS), REQUESTS_OVERLOADED);
  process.stderr.write("evander: the same with two models …\n");
  return [
    ...alone,
    overloaded,
    figure("the same of a model and one behind it", worstOf(afterTools(1, 1), CHAIN_OF_NONE), requestsOf(1)),
  ];
}

/**
 * @param {string} what
 * @param {import("../../test/properties/ladder-search.ts").Worst} worst
 * @param {number} bound
 */
const figure = (what, { requests, situations }, bound) => ({
  figure: what,
  value: `${requests} requests at worst, ${situations} situations, all tried`,
  goal: `<= ${bound}, computed from the limits`,
  pass: requests <= bound,
});
