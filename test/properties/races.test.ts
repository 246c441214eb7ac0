import { expect, test } from "vitest";
import { KINDS, races } from "./race.ts";

/** Few enough for a busy machine; `npm run show -- races` runs many more. */
const RACES = Number(process.env["RACES"] ?? 300);
const FIRST_SEED = Number(process.env["SEED"] ?? 1);

test("[B8] [B9] [B10] [B14] [B15] what is said to a turn, also as it ends, arrives exactly once or is refused", async () => {
  const arrived = await races({ runs: RACES, seed: FIRST_SEED });
  for (const kind of KINDS)
    for (const end of ["taken", "refused", "left for the next turn"])
      expect(arrived[`${kind} ${end}`], `${kind} ${end}`).toBeGreaterThan(0);
  console.log(`# ${RACES} races: ${JSON.stringify(arrived)}`);
}, 120_000);
