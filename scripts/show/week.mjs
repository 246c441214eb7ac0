import { Days, DAYS } from "../../test/scenario/week/days.ts";
import { Week } from "../../test/scenario/week/world.ts";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "a week of sessions: told facts are known, a procedure becomes a skill, notes are traced and tidied";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  await using week = await Week.begin();
  const days = new Days(week);
  const figures = [];
  for (const day of DAYS) {
    const value = await days
      .play(day)
      .catch((/** @type {unknown} */ error) => `failed: ${error instanceof Error ? error.message : String(error)}`);
    figures.push({ figure: day.name, value, goal: "this very line", pass: value === day.goal });
  }
  return figures;
}
