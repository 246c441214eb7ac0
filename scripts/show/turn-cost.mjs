import { billOfRow, COST_ROWS } from "../../test/support/cost-rows.ts";

export const about = "what turns on a real wire cost, each beside what a person makes of it by hand";

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  let right = 0;
  for (const row of COST_ROWS) {
    const { cost, knownUsd, rows } = await billOfRow(row);
    const byHand = row.micros / 1e6;
    const same = knownUsd === byHand && cost.status === row.status && rows.length === row.lines;
    if (same) right += 1;
    const part = row.status === "unknown" ? "known of it: " : "";
    console.log(`${same ? "same " : "WRONG"}  ${row.name}: ${cost.status}, ${part}$${knownUsd}`);
    console.log(`       by hand: ${row.hand}; ${part}${row.micros} millionths, $${byHand}`);
  }
  return [
    {
      figure: "turns whose bill is what a person reckons",
      value: `${right} of ${COST_ROWS.length}`,
      goal: "all, at least 12",
      pass: right === COST_ROWS.length && right >= 12,
    },
  ];
}
