import { expect, test } from "vitest";
import { interruptIn, STATES } from "./interrupts.ts";

// How fast it is: npm run show -- interrupts.
for (const state of STATES)
  test(`[B5 B7 B15] an interrupt while ${state.name}: the history is legal, nothing goes on, the next message is taken`, async () => {
    expect(await interruptIn(state)).toMatchObject({ survivors: 0 });
  });
