import { Outpost } from "../../test/scenario/far-hands/outpost.ts";
import { IN_A_SANDBOX, STAGES } from "../../test/scenario/far-hands/stages.ts";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "a conversation with far hands: tests in the sandbox, a published server of tools, two children, a kill, a script, a hostile page, a question";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  await using outpost = await Outpost.begin();
  const figures = [];
  // The first needs bubblewrap, and fails where there is none.
  for (const { name, goal, play } of [IN_A_SANDBOX, ...STAGES]) {
    const value = await play(outpost).catch(
      (/** @type {unknown} */ error) => `failed: ${error instanceof Error ? error.message : String(error)}`,
    );
    figures.push({ figure: name, value, goal: "this very line", pass: value === goal });
  }
  return figures;
}
