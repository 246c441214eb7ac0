import { Mock } from "../../bench/harness/mock.mjs";
import { preparePeers } from "../../bench/harness/peers.mjs";
import { runSection, SECTIONS } from "../../bench/harness/sections.mjs";
import { median, ratio, typical } from "../../bench/harness/statistics.mjs";
import { figure as digits, markdown } from "../../bench/harness/table.mjs";

/** @typedef {import("../../bench/harness/sections.mjs").Sample} Sample */
/** @typedef {Record<string, Sample[]>} Samples by section */

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
 * Takes the samples of the table: the peers side by side, in turn.
 * @param {readonly string[]} wanted
 * @returns {Promise<{ samples: Samples, names: string[] }>} `names`: those that could be made ready
 */
export async function takeTable(wanted) {
  /** @param {string} line */
  const report = (line) => process.stderr.write(`${line}\n`);
  const peers = await preparePeers(wanted, report);
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
  return { samples, names: peers.map((peer) => peer.name) };
}

/**
 * How many cores other programs used meanwhile.
 * @param {Samples} samples
 */
export const foreignCores = (samples) =>
  digits(median(Object.values(samples).flatMap((own) => own.map((sample) => sample.foreignCores))));

/** @type {readonly { title: string, section: string, group: string, value: string, absolute?: true }[]} */
export const COLUMNS = [
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
export function speedTable(samples, names) {
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
