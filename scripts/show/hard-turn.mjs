import { playHardTurn, STEPS } from "../../test/scenario/hard-turn.ts";
import { setUp } from "../setup/set-up.mjs";

export const about = "a turn that meets a bad key, a limit, a crowded server and a window too small, and answers";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const { result, explained, cost, keys } = await playHardTurn();
  console.log(`evander turn explain last\n${explained}\nevander turn cost last\n${cost}\nevander auth status\n${keys}`);
  const lines = explained.split("\n").slice(2);
  const told = STEPS.filter((step, at) => step.test(lines[at] ?? "")).length;
  const failed = cost.match(/\bfailed\b/g)?.length ?? 0;
  return [
    { figure: "its answer", value: result.answer ?? "none", goal: "there is one", pass: result.ok },
    { figure: "steps that explain tells", value: `${told}`, goal: `${STEPS.length}`, pass: told === STEPS.length },
    { figure: "failed attempts on the bill", value: `${failed}`, goal: "6", pass: failed === 6 },
    {
      figure: "keys whose return is told",
      value: `${keys.match(/returns in/g)?.length ?? 0}`,
      goal: "1",
      pass: keys.includes("returns in"),
    },
  ];
}
