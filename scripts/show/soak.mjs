import { figuresOf, liveDay } from "../../test/soak/live-day.ts";

export const about =
  "a day of 20 sessions in virtual time: what it leaves in a process (TURNS=50000 SEED=n for more; a minute)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const turns = Number(process.env["TURNS"] ?? 2_000);
  const seed = Number(process.env["SEED"] ?? 1);
  console.log(`${turns} turns, seed ${seed}`);
  let nextMs = Date.now() + 1_000;
  const report = await liveDay(turns, seed, (done) => {
    if (Date.now() < nextMs) return;
    nextMs = Date.now() + 10_000;
    console.error(`evander: ${done} of ${turns} turns …`);
  });
  for (const what of report.wrong) console.log(what);
  const { heapSlope, descriptors, timers, listeners, log, growth, drift } = figuresOf(report);
  /** @param {Readonly<Record<string, number>>} counts */
  const told = (counts) =>
    Object.entries(counts)
      .map(([what, times]) => `${times} ${what}`)
      .join(", ");
  console.log(`${report.requests} requests, ${report.sessions} sessions; ended as ${told(report.exits)}`);
  console.log(`faults: ${told(report.faults)}; ${told(report.happened)}`);
  const flat = [
    { figure: "descriptors", value: descriptors },
    { figure: "timers", value: timers },
    { figure: "listeners", value: listeners },
  ].map(({ figure, value }) => ({
    figure: `${figure}, the most less the least`,
    value: `${value}`,
    goal: "<= 2",
    pass: value <= 2,
  }));
  return [
    {
      figure: "breaches, unhandled rejections, warnings",
      value: `${report.wrong.length}`,
      goal: "0",
      pass: report.wrong.length === 0,
    },
    {
      figure: "heap for each 1,000 turns",
      value: `${heapSlope.toFixed(2)} MB`,
      goal: "< 0.5 MB",
      pass: heapSlope < 0.5,
    },
    ...flat,
    { figure: "write-ahead log", value: `${log.toFixed(1)} MB`, goal: "<= 64 MB", pass: log <= 64 },
    {
      figure: "bytes on disk for each turn, second half to first",
      value: `${growth.toFixed(2)}x`,
      goal: "<= 1.25x",
      pass: growth <= 1.25,
    },
    {
      figure: "p95 of a turn, last third to first",
      value: `${drift.toFixed(2)}x`,
      goal: "<= 1.10x",
      pass: drift <= 1.1,
    },
  ];
}
