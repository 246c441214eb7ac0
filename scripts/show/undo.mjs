import { playMany } from "../../test/properties/undo-scripts.ts";

const ROUNDS = 100;

export const about = "random turns change a folder, dying anywhere, and are undone, a hundred times (about 60 s)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const troubles = await playMany(ROUNDS);
  for (const trouble of troubles) console.log(trouble);
  return [
    {
      figure: `folders that an undo did not put back bit by bit, in ${ROUNDS} scripts of up to 18 calls`,
      value: String(troubles.length),
      goal: "0",
      pass: troubles.length === 0,
    },
  ];
}
