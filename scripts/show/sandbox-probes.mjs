import { execFileSync } from "node:child_process";
import { Box } from "../../test/system/box.ts";
import { ESCAPES, TASKS } from "../../test/system/probes.ts";

export const about = "what gets out of the sandbox, and what of everyday work is done in it (needs bubblewrap)";

/** security.md R23 */
const LEAST = { escapes: 40, tasks: 30 };

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  using box = new Box();
  const state = await box.sandbox.state();
  if (state.type !== "on")
    return [{ figure: "a sandbox", value: state.why, goal: "apt-get install bubblewrap socat", pass: false }];
  execFileSync("git", ["init", "-q", box.work]);
  const done = await ended(box, TASKS);
  const out = await ended(box, ESCAPES);
  const [tasks, escapes] = [Object.keys(TASKS).length, Object.keys(ESCAPES).length];
  return [
    {
      figure: `of ${escapes} ways out, open`,
      value: out.length === 0 ? "0" : out.join(", "),
      goal: `0 of at least ${LEAST.escapes}`,
      pass: out.length === 0 && escapes >= LEAST.escapes,
    },
    {
      figure: `of ${tasks} everyday tasks, done`,
      value: String(done.length),
      goal: `all of at least ${LEAST.tasks}`,
      pass: done.length === tasks && tasks >= LEAST.tasks,
    },
  ];
}

/**
 * The names of those that end with 0.
 * @param {Box} box
 * @param {Readonly<Record<string, string>>} commands
 * @returns {Promise<string[]>}
 */
async function ended(box, commands) {
  const names = [];
  for (const [name, command] of Object.entries(commands)) if ((await box.run(command)).code === 0) names.push(name);
  return names;
}
