import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { DayReport } from "./day.ts";
import { type Reading, slope, spread } from "./gauges.ts";

export interface DayFigures {
  /** MB per thousand turns, when every session that stays open is. */
  readonly heapSlope: number;
  /** The most less the least. */
  readonly descriptors: number;
  readonly timers: number;
  readonly listeners: number;
  /** The most of the write-ahead log, MB. */
  readonly log: number;
  /** Bytes of the store for each turn, of the second half to the first. */
  readonly growth: number;
  /** How long 95 of 100 turns took at most, of the last third to the first after the beginning. */
  readonly drift: number;
}

/** A day in a process of its own, so that nothing but the day is measured. `onProgress`: so many turns are over. */
export async function liveDay(
  turns: number,
  seed: number,
  onProgress: (turns: number) => void = () => {},
): Promise<DayReport> {
  const child = spawn(process.execPath, [new URL("./run-day.ts", import.meta.url).pathname, `${turns}`, `${seed}`], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (/^\d+$/u.test(line)) onProgress(Number(line));
    else said.push(line);
  });
  const [out, code] = await Promise.all([
    child.stdout.toArray(),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  if (code !== 0) throw new Error(`the day of seed ${seed} ended with ${code}:\n${said.join("\n")}`);
  return JSON.parse(Buffer.concat(out).toString()) as DayReport;
}

const MB = 1024 * 1024;

/** The beginning, in which a process loads its modules and opens its first sessions, counts for none of them. */
export function figuresOf({ readings, turns, mostLog }: DayReport): DayFigures {
  const warm = readings.filter((reading) => reading.turns >= turns * 0.45);
  const half = Math.floor(warm.length / 2);
  return {
    heapSlope: slope(warm, ({ heap }) => heap) / MB,
    descriptors: spread(warm, (reading) => reading.descriptors),
    timers: spread(warm, (reading) => reading.timers),
    listeners: spread(warm, (reading) => reading.listeners),
    log: mostLog / MB,
    growth: slope(warm.slice(half), ({ store }) => store) / slope(warm.slice(0, half + 1), ({ store }) => store),
    drift: meanP95(warm.slice(-Math.ceil(warm.length / 3))) / meanP95(warm.slice(0, Math.ceil(warm.length / 3))),
  };
}

const meanP95 = (readings: readonly Reading[]): number =>
  readings.reduce((sum, { p95 }) => sum + p95, 0) / Math.max(1, readings.length);
