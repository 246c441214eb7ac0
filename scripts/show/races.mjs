import { KINDS } from "../../test/properties/race.ts";
import { inShards } from "../../test/properties/shards.ts";
import { counter } from "../report/progress.mjs";

export const about = "seeded races of arrivals against the end of a turn (about 25 seconds; SEED=n begins elsewhere)";

const RACES = 5_000;
const GOAL = 1_000;
/** What can become of what was said, and how often each has to have come for the rest to mean anything. */
const WHERE = ["taken", "refused", "left for the next turn"];
const OFTEN = 100;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const progress = counter("races", RACES);
  /** @type {import("../../test/properties/shards.ts").Tally} */
  let tally = {};
  let found = "each accepted message once, no refused one";
  try {
    tally = await inShards("races", { runs: RACES, seed: Number(process.env["SEED"] ?? 1), onProgress: progress.step });
  } catch (error) {
    found = "a message lost or doubled, see above";
    console.log(error instanceof Error ? error.message : error);
  }
  progress.end();
  const ends = KINDS.map((kind) => ({ kind, times: WHERE.map((where) => tally[`${kind} ${where}`] ?? 0) }));
  return [
    {
      figure: "seeded races against the end of a turn",
      value: `${RACES} races: ${found}`,
      goal: `>= ${GOAL} races, each accepted message exactly once`,
      pass: Object.keys(tally).length > 0,
    },
    {
      figure: "what was said in them",
      value: ends.map(({ kind, times }) => `${kind} ${times.join(" / ")}`).join(", "),
      goal: `each ${WHERE.join(" / ")} >= ${OFTEN} times`,
      pass: ends.every(({ times }) => times.every((some) => some >= OFTEN)),
    },
  ];
}
