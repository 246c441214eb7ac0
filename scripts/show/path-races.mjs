import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { racePaths } from "../../test/properties/path-races.ts";

export const about = "100,000 reads and writes while another process swaps what they touch for links (about 4 min)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  // In memory where there is such a folder: a disk would spend the time on syncing.
  const { attempts, done, refused, swaps, escapes } = await racePaths(
    100_000,
    existsSync("/dev/shm") ? "/dev/shm" : tmpdir(),
  );
  return [
    {
      figure: `reads and writes that reached outside, in ${attempts} (${done} done, ${refused} refused)`,
      value: String(escapes),
      goal: "0",
      pass: escapes === 0 && attempts === 100_000,
    },
    {
      figure: "times a link was put in place meanwhile",
      value: String(swaps),
      goal: "≥ 100000",
      pass: swaps >= 100_000,
    },
  ];
}
