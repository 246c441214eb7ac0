import { expect, test } from "vitest";
import { sessionOps } from "./session-ops.ts";

const RUNS = Number(process.env["RUNS"] ?? 40);
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

test(
  `[G5][G3][G1][A9][X6] whatever is done with sessions, none loses or changes what was said (SEED=${SEED} RUNS=${RUNS} npx vitest run test/properties/session-ops.test.ts)`,
  { timeout: 600_000 },
  async () => {
    const tally = await sessionOps({ runs: RUNS, seed: SEED });
    expect(tally["runs"]).toBe(RUNS);
  },
);
