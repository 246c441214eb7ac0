import { ratio, typical } from "../../bench/harness/statistics.mjs";
import { foreignCores, speedTable, takeTable } from "../report/bench-table.mjs";
import { setUp } from "../setup/set-up.mjs";
import { measure as measureGrowth } from "./store-growth.mjs";
import { measure as measureVersion } from "./version-start.mjs";

export const about = "speed beside bare loops, pi and the AI SDK, on this machine (about 6 minutes)";

/** @typedef {import("../show.mjs").Figure} Figure */
/** @typedef {import("../report/bench-table.mjs").Samples} Samples */

const FLOORS = ["bare-fetch", "bare-http", "bare-buffer-sqlite"];
const OURS = "evander";
const PEERS = ["pi", "ai-sdk"];

/**
 * @param {string} root
 * @returns {Promise<Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const { samples, names } = await takeTable([...FLOORS, OURS, ...PEERS]);
  console.log(`${speedTable(samples, names)}\n`);
  console.log("CPU: all threads of the process. (x): ratio to bare-fetch, median over interleaved rounds.");
  console.log("evander and bare-buffer-sqlite save to disk, the others save nothing.");
  console.log(`Other programs used ${foreignCores(samples)} cores meanwhile.\n`);
  // A save takes so little that only saves of one process, taken in turn, can be compared.
  return [...goals(samples, names), ...(await measureGrowth(root)), ...(await measureVersion(root))];
}

/**
 * The goals that were set for this runtime, as ratios of samples that were taken side by side.
 * @param {Samples} samples
 * @param {readonly string[]} names
 * @returns {Figure[]}
 */
function goals(samples, names) {
  /** @type {(section: string, group: string, value: string, peer: string) => number | undefined} */
  const against = (section, group, value, peer) =>
    ratio(samples[section] ?? [], { value, above: { peer: OURS, group }, below: { peer, group } });
  /** @type {(section: string, value: string, above: string, below: string) => number | undefined} */
  const within = (section, value, above, below) =>
    ratio(samples[section] ?? [], {
      value,
      above: { peer: OURS, group: above },
      below: { peer: OURS, group: below },
    });
  const growth = typical(samples["long"] ?? [], { peer: OURS, group: "8 tools", value: "growth" });
  const list = [
    atMost(0.9, "iteration with 1 tool, CPU / bare-fetch", against("iteration", "1 tool", "cpuMs", "bare-fetch")),
    atMost(1.3, "iteration with 8 tools, CPU / bare-fetch", against("iteration", "8 tools", "cpuMs", "bare-fetch")),
    atMost(1.3, "gap at iteration 400 / at the beginning, 8 tools", growth),
    atMost(1.3, "start to first request / bare-fetch", against("start", "hello", "firstRequestMs", "bare-fetch")),
    atMost(
      1.2,
      "delta, warm, think filter on, CPU / bare-fetch",
      against("stream", "warm", "cpuUsPerDelta", "bare-fetch"),
    ),
    atMost(
      1.3,
      "delta behind 200 KB / 50 KB of <think>",
      within("stream", "cpuUsPerDelta", "200 KB think", "50 KB think"),
    ),
  ];
  if (!names.includes("pi")) return list;
  return [
    ...list,
    atMost(0.5, "iteration with 1 tool, CPU / pi", against("iteration", "1 tool", "cpuMs", "pi")),
    atMost(0.5, "iteration with 8 tools, CPU / pi", against("iteration", "8 tools", "cpuMs", "pi")),
  ];
}

/**
 * @param {number} limit
 * @param {string} name
 * @param {number | undefined} value
 * @returns {Figure}
 */
function atMost(limit, name, value) {
  const text = value === undefined ? "not measured" : `${value.toFixed(2)}x`;
  return {
    figure: name,
    value: text,
    goal: `<= ${Number(limit.toFixed(2))}x`,
    pass: value !== undefined && value <= limit,
  };
}
