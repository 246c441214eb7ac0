import { spawnSync } from "node:child_process";
import { Box } from "../../test/system/box.ts";

export const about = "what the sandbox adds to one command (needs bubblewrap)";

/** Issue of the sandbox, ms. */
const GOAL = 60;
const ROUNDS = 40;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  using box = new Box();
  const state = await box.sandbox.state();
  if (state.type !== "on")
    return [{ figure: "a sandbox", value: state.why, goal: "apt-get install bubblewrap socat", pass: false }];
  const [inside, outside] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let round = 0; round < ROUNDS; round += 1) {
    let began = performance.now();
    await box.run("true");
    inside.push(performance.now() - began);
    began = performance.now();
    spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", "true"], { cwd: box.work, stdio: "ignore" });
    outside.push(performance.now() - began);
  }
  const added = middle(inside) - middle(outside);
  return [
    {
      figure: `added to a command, the middle of ${ROUNDS}`,
      value: `${added.toFixed(1)} ms`,
      goal: `<= ${GOAL} ms`,
      pass: added <= GOAL,
    },
  ];
}

/** @param {number[]} times */
const middle = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
