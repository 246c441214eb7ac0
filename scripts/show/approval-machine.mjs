import { cases, play } from "../../test/properties/approval-machine.ts";
import { approvalRaces } from "../../test/properties/approval-races.ts";

export const about = "every combination of approvals against a table, and ten thousand races for one yes (a minute)";

const RACES = 10_000;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const all = cases();
  /** @type {string[]} */
  const broken = [];
  for (const one of all) await play(one).catch((/** @type {unknown} */ error) => broken.push(String(error)));
  for (const line of broken.slice(0, 10)) console.log(line);
  const { ran, wrong } = await approvalRaces(RACES, 1);
  for (const line of wrong.slice(0, 10)) console.log(line);
  return [
    {
      figure: `combinations of surface, mode, answer, others' words, verdict and rules that differ from the table, of ${all.length}`,
      value: String(broken.length),
      goal: "0",
      pass: broken.length === 0 && all.length >= 1_500,
    },
    {
      figure: `calls that ran twice or without a yes that was taken, in ${RACES} races`,
      value: `${wrong.length}, and ${ran} that ran`,
      goal: "0",
      pass: wrong.length === 0 && ran > RACES / 10,
    },
  ];
}
