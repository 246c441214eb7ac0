import assert from "node:assert/strict";
import { test } from "vitest";
import { atMost } from "./at-most.ts";
import { childDeath } from "./child-deaths.ts";

/** The others are for `npm run show -- children`. */
const POINTS = [
  ["after-commit:segment-start", "resume"],
  ["after-commit:any#12", "resume"],
  ["before-commit:any#20", "resume"],
  ["before-commit:auxiliary-run", "resume"],
  ["after-commit:any#16", "follow"],
] as const;

for (const [killAt, takeUp] of POINTS)
  test.concurrent(`[I4][R1] kill -9 with two children (${killAt}, ${takeUp}): none runs twice, and each is paid for once`, () =>
    assert.doesNotReject(
      atMost(async () => {
        const { died } = await childDeath(killAt, takeUp);
        assert.ok(died);
      }),
    ));
