import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const about = "saving one iteration with 10,000 stored messages beside 100";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "bench", "store.mjs")], { encoding: "utf8" });
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`the benchmark gave no figures: ${stderr}`);
  const { smallMs, largeMs, ratio, goal } = JSON.parse(line);
  return [
    {
      figure: "save at 10,000 messages / at 100",
      value: `${ratio.toFixed(2)}x (${largeMs.toFixed(3)} ms / ${smallMs.toFixed(3)} ms)`,
      goal: `<= ${goal}x`,
      pass: ratio <= goal,
    },
  ];
}
