import { expect, test } from "vitest";
import { sessionOps } from "./session-ops.ts";

const RUNS = Number(process.env["RUNS"] ?? 80);
/** By chance where none is given; a failure is told with it: SEED=n npx vitest run test/properties/session-ops.test.ts */
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

test(
  "[G5][G3][G1][A9][X6] whatever is done with sessions, none loses or changes what was said",
  { timeout: 600_000 },
  async () => {
    console.log(`# SEED=${SEED} RUNS=${RUNS}`);
    const { runs, ops } = await sessionOps({ runs: RUNS, seed: SEED });
    expect(runs).toBe(RUNS);
    console.log(`# ${ops} operations`);
  },
);
