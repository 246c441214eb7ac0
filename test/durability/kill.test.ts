import assert from "node:assert/strict";
import { test } from "vitest";
import { atMost } from "../scenario/at-most.ts";
import { checkDeath } from "./death.ts";
import { POINTS } from "./points.ts";
import { ALL } from "./shapes.ts";

for (const { id, name, kept, cells } of POINTS)
  for (const shape of ALL) {
    const kill = cells[shape];
    if (typeof kill === "string") continue;
    test.concurrent(`[G2 G3 X6] ${id}: kill -9 ${name} (${shape}): nothing is lost, nothing done twice`, () =>
      assert.doesNotReject(atMost(() => checkDeath(shape, kill, kept))));
  }
