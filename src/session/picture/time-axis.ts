import { endOf, type PictureRow, startOf } from "./picture.ts";

/** Where moments stand on an axis whose length is 1. */
export interface TimeAxis {
  /** Its last moment. */
  readonly untilMs: number;
  /** Time in which nobody worked is drawn shorter than it was. */
  readonly shortened: boolean;
  at(ms: number): number;
  /** The times in which nobody worked, where they are shortened. */
  readonly breaks: readonly Interval[];
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Idle time may take so many times as much room as work; when there is more, it gets as much as work. */
const MOST_IDLE = 3;

/** Time in which only something was waited for says little, however long it was: work gets the room. */
export function timeAxis(rows: readonly PictureRow[], tookMs: number): TimeAxis {
  const untilMs = Math.max(tookMs, ...lastStarts(rows));
  const busy = busyIntervals(rows, tookMs);
  const worked = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const idle = untilMs - worked;
  const shortened = worked > 0 && idle > MOST_IDLE * worked;
  const idleScale = shortened ? worked / idle : 1;
  const done = [0];
  for (const { from, to } of busy) done.push((done.at(-1) ?? 0) + to - from);
  /** Drawn length of the turn until then. */
  const drawn = (ms: number): number => {
    const at = countBefore(busy, ms);
    const last = busy[at - 1];
    const work = (done[at] ?? 0) - (last === undefined ? 0 : Math.max(0, last.to - ms));
    return work + (ms - work) * idleScale;
  };
  const whole = drawn(untilMs);
  return {
    untilMs,
    shortened,
    at: (ms) => (whole === 0 ? 0 : drawn(ms) / whole),
    breaks: shortened ? between(busy, untilMs) : [],
  };
}

/** The first column of a span, and how many it takes: one at least. */
export function placeOn(
  axis: TimeAxis,
  columns: number,
  startMs: number,
  endMs: number,
): { from: number; columns: number } {
  const from = Math.min(columns - 1, Math.floor(axis.at(startMs) * columns));
  return { from, columns: Math.max(1, Math.min(columns, Math.round(axis.at(endMs) * columns)) - from) };
}

/** What was done behind the turn stands at the end of the rows. */
const lastStarts = (rows: readonly PictureRow[]): number[] => rows.slice(-20).map(startOf);

/** When the model or a tool was at work, without overlaps, in order. */
function busyIntervals(rows: readonly PictureRow[], tookMs: number): Interval[] {
  const spans = rows.flatMap((row) =>
    row.type === "attempt" || row.type === "tool" || row.type === "child"
      ? [{ from: row.startMs, to: endOf(row, tookMs) }]
      : [],
  );
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of spans.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** How many begin before then. */
function countBefore(intervals: readonly Interval[], ms: number): number {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.from ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function between(busy: readonly Interval[], untilMs: number): Interval[] {
  const edges = [0, ...busy.flatMap(({ from, to }) => [from, to]), untilMs];
  const idle: Interval[] = [];
  for (let at = 0; at < edges.length; at += 2) idle.push({ from: edges[at] ?? 0, to: edges[at + 1] ?? 0 });
  return idle.filter(({ from, to }) => to > from);
}
