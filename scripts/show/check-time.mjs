import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

export const about = "how long `npm run check` takes";

const LIMIT_S = 60;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "check.mjs"), "--quick"], {
    cwd: root,
    stdio: "inherit",
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return [
    {
      figure: "npm run check",
      value: `${seconds.toFixed(0)} s, ${status === 0 ? "green" : "not green"}`,
      goal: `<= ${LIMIT_S} s, green`,
      pass: status === 0 && seconds <= LIMIT_S,
    },
  ];
}
