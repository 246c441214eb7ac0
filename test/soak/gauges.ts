import { existsSync, readdirSync, statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What a process has at a moment in which nothing goes on. */
export interface Reading {
  readonly turns: number;
  /** Bytes, when all that nobody needs is gone. */
  readonly heap: number;
  readonly descriptors: number;
  readonly timers: number;
  readonly listeners: number;
  /** Bytes. */
  readonly log: number;
  readonly store: number;
  /** ms that a turn took until here, since the reading before: 95 of 100 took less. */
  readonly p95: number;
}

interface Read {
  readonly turns: number;
  readonly path: string;
  readonly took: readonly number[];
  /** A server of tools runs: its three pipes and its listener are its own. */
  readonly served: boolean;
}

export function read({ turns, path, took, served }: Read): Reading {
  collect();
  collect();
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate").length;
  return {
    turns,
    heap: process.memoryUsage().heapUsed,
    descriptors: existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length - (served ? 3 : 0) : 0,
    timers,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), served ? -1 : 0),
    log: sizeOf(`${path}-wal`),
    store: sizeOf(path),
    p95: quantile(took, 0.95),
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

export const logBytes = (path: string): number => sizeOf(`${path}-wal`);

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** By how much `of` grows for each thousand turns: the line of least squares. */
export function slope(readings: readonly Reading[], of: (reading: Reading) => number): number {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  const x = mean(readings.map(({ turns }) => turns));
  const y = mean(readings.map(of));
  const over = mean(readings.map((each) => (each.turns - x) * (of(each) - y)));
  const under = mean(readings.map((each) => (each.turns - x) ** 2));
  return under === 0 ? 0 : (over / under) * 1_000;
}

/** Between the least and the most of them. */
export function spread(readings: readonly Reading[], of: (reading: Reading) => number): number {
  const values = readings.map(of);
  return Math.max(...values) - Math.min(...values);
}
