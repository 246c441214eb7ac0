import { STAGES } from "../../test/scenario/hands/stages.ts";
import { Workshop } from "../../test/scenario/hands/workshop.ts";
import { Stages } from "../../test/scenario/stages.ts";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "a conversation with hands: parallel edits, tests, questions, refusals, a server, secrets, and all of it undone";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  await using shop = await Workshop.begin();
  return await new Stages(shop).figures(STAGES);
}
