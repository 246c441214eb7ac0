import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordDemo } from "../picture/record.mjs";
import { COMMAND, linesIn, structureOf } from "../picture/svg.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about = "the picture of the README beside a new recording of the tour (`npm run picture` makes it anew)";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const shown = structureOf(linesIn(readFileSync(join(root, "docs", "demo.svg"), "utf8")));
  const seen = structureOf([COMMAND, ...(await recordDemo(root, node))]);
  const [old, fresh] = [shown.filter((line) => !seen.includes(line)), seen.filter((line) => !shown.includes(line))];
  for (const line of old) console.log(`only in the picture: ${line}`);
  for (const line of fresh) console.log(`only in the tour: ${line}`);
  const same = JSON.stringify(shown) === JSON.stringify(seen);
  return [{ figure: "lines that differ", value: String(old.length + fresh.length), goal: "0", pass: same }];
}
