import { planNoise, runDifferential } from "../../test/properties/parser-differential.ts";

export const about = "20,000 random commands in a real bash against their plans, and 100,000 shreds (about 8 min)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const seed = Number(process.env["SEED"] ?? 1_000_000);
  const { commands, auto, denied, ran, slow, counterexamples } = await runDifferential(20_000, seed);
  const { planned, crashed } = planNoise(100_000, seed);
  for (const story of [...counterexamples, ...crashed].slice(0, 20)) console.error(story.slice(0, 500));
  return [
    {
      figure: `programs that bash ran and no plan names, in ${commands} commands (${auto} unasked, ${denied} refused, ${ran} programs ran, ${slow} stopped)`,
      value: String(counterexamples.length),
      goal: "0",
      pass: counterexamples.length === 0 && commands === 20_000,
    },
    { figure: `crashes, in ${planned} shreds`, value: String(crashed.length), goal: "0", pass: crashed.length === 0 },
  ];
}
