import { Mock } from "../../bench/harness/mock.mjs";
import { preparePeers } from "../../bench/harness/peers.mjs";
import { runSection, SECTIONS } from "../../bench/harness/sections.mjs";
import { median, ratio, typical } from "../../bench/harness/statistics.mjs";
import { figure as digits, markdown } from "../../bench/harness/table.mjs";
import { setUp } from "../setup/set-up.mjs";
import { measure as measureGrowth } from "./store-growth.mjs";
import { measure as measureVersion } from "./version-start.mjs";

export const about = "speed beside bare loops, pi and the AI SDK, on this machine (about 6 minutes)";

/** @typedef {import("../show.mjs").Figure} Figure */
/** @typedef {import("../../bench/harness/sections.mjs").Sample} Sample */
/** @typedef {Record<string, Sample[]>} Samples by section */

const FLOORS = ["bare-fetch", "bare-http", "bare-buffer-sqlite"];
const OURS = "evander";
const PEERS = ["pi", "ai-sdk"];
/** What these ratios to bare-fetch were when neither guardrails nor request records existed, and how much they may be now. */
const BEFORE = { "1 tool": 0.78, "8 tools": 0.93 };
const MAY_COST = 1.1;
/** How long a measurement waits for other programs to be quiet, ms. */
const CALM_MS = 1_000;

/** By section: rounds, and the time after which no further one begins, s. */
const PLAN = {
  iteration: { rounds: 7, limit: 110 },
  long: { rounds: 3, limit: 60 },
  start: { rounds: 9, limit: 50 },
  stream: { rounds: 5, limit: 90 },
};

/**
 * @param {string} root
 * @returns {Promise<Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  /** @param {string} line */
  const report = (line) => process.stderr.write(`${line}\n`);
  const peers = await preparePeers([...FLOORS, OURS, ...PEERS], report);
  const names = peers.map((peer) => peer.name);
  /** @type {Samples} */
  const samples = {};
  const mock = await Mock.start();
  try {
    for (const section of SECTIONS.filter(({ name }) => name in PLAN)) {
      const { rounds, limit } = PLAN[/** @type {keyof typeof PLAN} */ (section.name)];
      const options = { peers, rounds, limitMs: limit * 1000, bench: { mock, calmMs: CALM_MS }, report };
      samples[section.name] = await runSection(section, options);
    }
  } finally {
    mock.stop();
  }
  console.log(`${speedTable(samples, names)}\n`);
  console.log("CPU: all threads of the process. (x): ratio to bare-fetch, median over interleaved rounds.");
  console.log("evander and bare-buffer-sqlite save to disk, the others save nothing.");
  const foreign = median(Object.values(samples).flatMap((own) => own.map(({ foreignCores }) => foreignCores)));
  console.log(`Other programs used ${digits(foreign)} cores meanwhile.\n`);
  // A save takes so little that only saves of one process, taken in turn, can be compared.
  return [...goals(samples, names), ...(await measureGrowth(root)), ...(await measureVersion(root))];
}

/** @type {readonly { title: string, section: string, group: string, value: string, absolute?: true }[]} */
const COLUMNS = [
  { title: "CPU ms, 1 tool", section: "iteration", group: "1 tool", value: "cpuMs" },
  { title: "CPU ms, 8 tools", section: "iteration", group: "8 tools", value: "cpuMs" },
  { title: "gap ms, 1 tool", section: "iteration", group: "1 tool", value: "gapMs" },
  { title: "gap ms, 8 tools", section: "iteration", group: "8 tools", value: "gapMs" },
  { title: "gap growth, 400x8", section: "long", group: "8 tools", value: "growth", absolute: true },
  { title: "first request ms", section: "start", group: "hello", value: "firstRequestMs" },
  { title: "us/delta, warm", section: "stream", group: "warm", value: "cpuUsPerDelta" },
  { title: "us/delta, 200 KB think", section: "stream", group: "200 KB think", value: "cpuUsPerDelta" },
  { title: "MB", section: "start", group: "hello", value: "rssMb" },
];

/**
 * @param {Samples} samples
 * @param {readonly string[]} names
 */
function speedTable(samples, names) {
  const rows = names.map((peer) => [
    peer,
    ...COLUMNS.map(({ section, group, value, absolute }) => {
      const own = samples[section] ?? [];
      const typically = digits(typical(own, { peer, group, value }));
      const times = ratio(own, { value, above: { peer, group }, below: { peer: "bare-fetch", group } });
      return times === undefined || absolute ? typically : `${typically} (${times.toFixed(2)})`;
    }),
  ]);
  return markdown(["", ...COLUMNS.map(({ title }) => title)], rows);
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
    ...Object.entries(BEFORE).map(([group, before]) =>
      atMost(
        MAY_COST * before,
        `iteration with ${group}, guardrails and request records on, CPU / bare-fetch`,
        against("iteration", group, "cpuMs", "bare-fetch"),
      ),
    ),
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
