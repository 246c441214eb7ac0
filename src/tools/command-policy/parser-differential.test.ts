import { expect, test } from "vitest";
import { planNoise, runDifferential } from "../../../test/properties/parser-differential.ts";

test("[R18] whatever a real bash runs of random commands stands in their plan, or the plan says that nobody knows", async () => {
  const { commands, auto, ran, counterexamples } = await runDifferential(120, 7);
  expect(counterexamples).toEqual([]);
  expect({ commands, isTold: auto > 15 && ran > 60 }).toEqual({ commands: 120, isTold: true });
});

test("[R18] noise is judged without a crash", () => {
  expect(planNoise(1_500, 7)).toEqual({ planned: 1_500, crashed: [] });
});
