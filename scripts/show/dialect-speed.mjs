import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const about = "reading and writing each dialect beside JSON.parse and JSON.stringify of the same data";

const GOALS = { reads: 3, writes: 1.3, growth: 2.4 };

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "bench", "dialects.mjs")], { encoding: "utf8" });
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("[")) throw new Error(`the benchmark gave no figures: ${stderr}`);
  /** @type {{ mode: string, decode: { ratio: number }, encode: { ratio: number, growth: number } }[]} */
  const rows = JSON.parse(line);
  return rows.flatMap(({ mode, decode, encode }) => [
    atMost(`${mode}: 5,000 deltas / JSON.parse`, decode.ratio, GOALS.reads),
    atMost(`${mode}: 10,000 messages / JSON.stringify`, encode.ratio, GOALS.writes),
    atMost(`${mode}: 10,000 messages / 5,000`, encode.growth, GOALS.growth),
  ]);
}

/**
 * @param {string} figure
 * @param {number} value
 * @param {number} goal
 * @returns {import("../show.mjs").Figure}
 */
const atMost = (figure, value, goal) => ({
  figure,
  value: `${value.toFixed(2)}x`,
  goal: `<= ${goal}x`,
  pass: value <= goal,
});
