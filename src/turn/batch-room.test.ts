import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BatchRoom, largestFirst } from "./batch-room.ts";

const sized = (chars: number, kept = 1_900) => ({ chars, kept });

test("[E8] the largest results go first, until the rest fits with what stands in their place; exactly the limit fits", () => {
  expect(
    largestFirst(
      [90_000, 60_000, 70_000].map((chars) => sized(chars)),
      200_000,
    ),
  ).toEqual([0]);
  expect(
    largestFirst(
      [99_000, 99_000, 99_000, 99_000].map((chars) => sized(chars)),
      200_000,
    ),
  ).toEqual([0, 1, 2]);
  expect(largestFirst([sized(100_000), sized(100_000)], 200_000)).toEqual([]);
  expect(largestFirst([], 200_000)).toEqual([]);
  // What would not become shorter stays.
  expect(largestFirst([sized(1_000), sized(1_500)], 100)).toEqual([]);
});

interface Given {
  readonly chars: number;
  readonly movable: boolean;
  readonly waits: boolean;
}

/** What goes to files, whatever the order in which the calls end. */
async function played(given: readonly Given[], order: readonly number[], batch: number): Promise<boolean[]> {
  const room = new BatchRoom(0, given.length);
  const goes: Promise<boolean>[] = [];
  for (const at of order) {
    const { chars = 0, movable = false, waits = false } = given[at] ?? {};
    if (movable) goes[at] = room.take({ chars, kept: 50, batch, place: at }, waits);
    else {
      room.leave(chars);
      goes[at] = Promise.resolve(false);
    }
  }
  return Promise.all(goes);
}

test("[E8] of two results as long as each other it is that of the first call that goes, whichever was faster", async () => {
  const twins = [883, 883].map((chars) => ({ chars, movable: true, waits: true }));
  expect(await played(twins, [0, 1], 933)).toEqual([true, false]);
  expect(await played(twins, [1, 0], 933)).toEqual([true, false]);
});

const given = fc.record({ chars: fc.integer({ min: 0, max: 1_000 }), movable: fc.boolean(), waits: fc.boolean() });

test("[E8] every call is answered; what goes does not depend on which call was faster, where all can wait", async () => {
  const calls = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      calls,
      fc.integer({ min: 50, max: 4_000 }),
      fc.infiniteStream(fc.nat()),
      async (sizes, batch, by) => {
        const all = sizes.map((chars) => ({ chars, movable: true, waits: true }));
        const order = sizes.map((_, at) => at);
        const mixed = order.map((at) => ({ at, by: Number(by.next().value) })).toSorted((a, b) => a.by - b.by);
        const one = await played(all, order, batch);
        const other = await played(
          all,
          mixed.map(({ at }) => at),
          batch,
        );
        expect(other).toEqual(one);
        const left = sizes.reduce((sum, chars, at) => sum + (one[at] === true ? 50 : chars), 0);
        expect(left <= batch || sizes.every((chars, at) => one[at] === true || chars <= 50)).toBe(true);
      },
    ),
  );
});

test("[E8] what fits for certain is told at once; what cannot run again does not wait either", async () => {
  const room = new BatchRoom(0, 3);
  expect(await room.take({ chars: 100, kept: 10, batch: 300, place: 0 }, true)).toBe(false);
  expect(await room.take({ chars: 150, kept: 10, batch: 300, place: 0 }, false)).toBe(false);
  const held = room.take({ chars: 101, kept: 10, batch: 300, place: 0 }, true);
  expect(await held).toBe(true);
  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 8 }), async (calls) => {
      const order = calls.map((_, at) => at);
      expect(await played(calls, order, 1_000)).toHaveLength(calls.length);
    }),
  );
});

test("[E8] segments of a batch share its room", async () => {
  const room = new BatchRoom(250, 1);
  expect(await room.take({ chars: 51, kept: 10, batch: 300, place: 0 }, true)).toBe(true);
  const other = new BatchRoom(250, 1);
  expect(await other.take({ chars: 50, kept: 10, batch: 300, place: 0 }, false)).toBe(false);
});
