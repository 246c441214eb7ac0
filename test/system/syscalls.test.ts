import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { boundariesOfTurn } from "./canonical-turn.ts";
import { needStrace } from "./strace.ts";
import { sweep } from "./sweep.ts";

/** Of about 270: what fits in 90 seconds of two cores; `npm run test:soak` takes all of them. */
const MOST = 44;

test("[R3][X6][G3] kill -9 at a system call of a turn: nothing acknowledged is lost, nothing done twice", async () => {
  needStrace();
  const boundaries = await boundariesOfTurn();
  expect(boundaries.length).toBeGreaterThan(150);
  const { violations, died } = await sweep(boundaries, { most: MOST });
  assert.deepEqual(violations, []);
  expect(died).toBeGreaterThan(MOST * 0.9);
}, 180_000);
