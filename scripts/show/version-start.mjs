import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setUp } from "../setup/set-up.mjs";

export const about = "start of `evander version` beside an empty Node program";

const ROUNDS = 21;
const LIMIT = 2;

/**
 * Both programs take turns, so that a busy machine weighs on both alike.
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const version = [join(root, "bin", "evander.cjs"), "version"];
  /** @type {{ empty: number[], version: number[] }} */
  const times = { empty: [], version: [] };
  wallTime(node, version);
  for (let round = 0; round < ROUNDS; round += 1) {
    times.empty.push(wallTime(node, ["-e", "0"]));
    times.version.push(wallTime(node, version));
  }
  const empty = median(times.empty);
  const ours = median(times.version);
  return [
    {
      figure: "evander version / node -e 0",
      value: `${(ours / empty).toFixed(2)}x (${ours.toFixed(0)} ms / ${empty.toFixed(0)} ms)`,
      goal: `<= ${LIMIT}x`,
      pass: ours / empty <= LIMIT,
    },
  ];
}

/**
 * @param {string} node
 * @param {string[]} args
 * @returns {number} ms
 */
function wallTime(node, args) {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(node, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - startedAt;
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
