import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { boundariesOfTurn } from "../system/canonical-turn.ts";
import { needStrace } from "../system/strace.ts";
import { sweep } from "../system/sweep.ts";

test("[R3][X6][G3] kill -9 at every system call of a turn: nothing acknowledged is lost, nothing done twice", async () => {
  needStrace();
  const boundaries = await boundariesOfTurn();
  const { violations, died } = await sweep(boundaries);
  assert.deepEqual(violations, []);
  expect(died).toBeGreaterThan(boundaries.length * 0.9);
});
