import { KNOWN } from "../../test/scenario/endings/known.ts";
import { score } from "../../test/scenario/endings/score.ts";
import { setUp } from "../setup/set-up.mjs";

export const about = "the table of hostile endings, checked from outside (about 2 minutes)";

/** What the best of the others reached on such a table, %. */
const RIVALS = 81;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const scored = await score();
  for (const { row, end, seconds, requests, faults } of scored) {
    const told = faults.length === 0 ? "" : `  ${KNOWN[row.id] ?? ""} (${faults.join("; ").slice(0, 200)})`;
    const figures = `${seconds.toFixed(1)} s  ${String(requests).padStart(3)} requests`;
    console.log(`${told === "" ? "ok  " : "FAIL"}  ${row.id.padEnd(36)} ${end.padEnd(38)} ${figures}${told}`);
  }
  const held = scored.filter(({ faults }) => faults.length === 0).length;
  const share = Math.floor((100 * held) / scored.length);
  return [
    {
      figure: "hostile endings that hold",
      value: `${held} of ${scored.length} (${share} %)`,
      goal: `all; the best rival ${RIVALS} %`,
      pass: held === scored.length,
    },
  ];
}
