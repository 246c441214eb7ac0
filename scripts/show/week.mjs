import { DAYS } from "../../test/scenario/week/days.ts";
import { Week } from "../../test/scenario/week/world.ts";
import { Stages } from "../../test/scenario/stages.ts";
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
  return await new Stages(week).figures(DAYS);
}
