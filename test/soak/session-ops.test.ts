import { expect, test } from "vitest";
import { inShards } from "../properties/shards.ts";

/** Another one: SEED=n npm run test:soak -- session-ops */
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const RUNS = 2_000;

test("[G5][G3][G1] 2,000 runs of 60 operations on sessions: nothing that was said is lost or changed", async () => {
  console.log(`# SEED=${SEED}`);
  const tally = await inShards("session-ops", { runs: RUNS, seed: SEED });
  expect(tally["runs"]).toBe(RUNS);
});
