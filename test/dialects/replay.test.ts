import { expect, test } from "vitest";
import { assertReplays } from "../support/replays.ts";
import { Recording, SHAPES, type ShapeName } from "./recorded-turns.ts";
import { SUBJECTS } from "./subjects.ts";

const CASES = SUBJECTS.flatMap((side) =>
  (Object.keys(SHAPES) as ShapeName[]).map((shape) => ({ side, shape, mode: side.wire.mode })),
);

test.for(CASES)(
  "[X7] a turn in $mode comes out of its record again, byte for byte: $shape",
  async ({ side, shape }) => {
    await using recording = await Recording.begin(side);
    await recording.round([shape]);
    const { store, turnIds } = recording;
    expect(turnIds.length).toBeGreaterThan(0);
    await assertReplays(store, turnIds, shape);
  },
);
