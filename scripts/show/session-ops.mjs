import { inShards } from "../../test/properties/shards.ts";
import { counter } from "../report/progress.mjs";

export const about =
  "2,000 runs of 60 random operations on sessions: send, fork, edit, crash, remove … (some minutes; SEED=n RUNS=n)";

const GOAL = 2_000;
const OPS = 60;
const RUNS = Number(process.env["RUNS"] ?? GOAL);
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
/** Each kind has to have come often for the rest to mean anything. */
const KINDS = ["send", "resume", "fork", "back", "retry", "edit", "compact", "remove", "transfer", "prune", "restart"];
const OFTEN = RUNS / 2;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const progress = counter("runs", RUNS);
  /** @type {import("../../test/properties/shards.ts").Tally} */
  let tally = {};
  let found = "nothing that was said is lost, changed or doubled, and every store is sound";
  try {
    tally = await inShards("session-ops", { runs: RUNS, seed: SEED, onProgress: progress.step });
  } catch (error) {
    found = "a breach, see above";
    console.log(error instanceof Error ? error.message : error);
  }
  progress.end();
  return [
    {
      figure: "random operations on sessions",
      value: `${tally["runs"] ?? 0} runs, ${tally["ops"] ?? 0} operations, seed ${SEED}: ${found}`,
      goal: `>= ${GOAL} runs of ${OPS}, 0 breaches`,
      pass: (tally["runs"] ?? 0) >= GOAL,
    },
    {
      figure: "what was done in them",
      value: KINDS.map((kind) => `${kind} ${tally[kind] ?? 0}`).join(", "),
      goal: `each at least ${OFTEN} times`,
      pass: KINDS.every((kind) => (tally[kind] ?? 0) >= OFTEN),
    },
  ];
}
