import { killWriters, raceForNotes } from "../../test/properties/memory-races.ts";

export const about = "two processes change notes of one file a thousand times, and writers are killed (about 20 s)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const { made, lost, odd } = await raceForNotes(500);
  const killed = await killWriters(40);
  return [
    {
      figure: `notes lost or not as they were left, in ${made} changes by two processes`,
      value: String(lost),
      goal: "0",
      pass: lost === 0 && made === 1_000,
    },
    {
      figure: "kept versions that are no single change of the one before",
      value: String(odd),
      goal: "0",
      pass: odd === 0,
    },
    {
      figure: `notes lost that were told as written, in ${killed.kills} processes killed while they write`,
      value: String(killed.lost),
      goal: "0",
      pass: killed.lost === 0 && killed.kills === 40,
    },
    {
      figure: "files that were not whole after a kill",
      value: String(killed.torn),
      goal: "0",
      pass: killed.torn === 0,
    },
  ];
}
