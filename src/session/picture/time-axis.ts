import type { PictureRow } from "./rows.ts";

/** Where moments stand on an axis of so many columns. */
export interface TimeAxis {
  /** Time in which nobody worked is drawn shorter than it was. */
  readonly shortened: boolean;
  /** The first column of a span, and how many it takes: one at least. */
  place(startMs: number, endMs: number): { readonly from: number; readonly columns: number };
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Idle time may take so many times as much room as work; when there is more, it gets as much as work. */
const MOST_IDLE = 3;

/** Time in which only something was waited for says little, however long it was: work gets the room. */
export function timeAxis(rows: readonly PictureRow[], tookMs: number, columns: number): TimeAxis {
  const busy = busyIntervals(rows, tookMs);
  const worked = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const idle = tookMs - worked;
  const shortened = worked > 0 && idle > MOST_IDLE * worked;
  const idleScale = shortened ? worked / idle : 1;
  /** Drawn length of the turn until then. */
  const drawn = (ms: number): number => {
    const work = busy.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(ms, to) - from), 0);
    return work + (ms - work) * idleScale;
  };
  const whole = drawn(tookMs);
  const columnOf = (ms: number): number => (whole === 0 ? 0 : (drawn(ms) / whole) * columns);
  return {
    shortened,
    place(startMs, endMs) {
      const from = Math.min(columns - 1, Math.floor(columnOf(startMs)));
      return { from, columns: Math.max(1, Math.min(columns, Math.round(columnOf(endMs))) - from) };
    },
  };
}

/** When the model or a tool was at work, without overlaps, in order. */
function busyIntervals(rows: readonly PictureRow[], tookMs: number): Interval[] {
  const spans = rows.flatMap((row) =>
    row.type === "attempt" || row.type === "tool" ? [{ from: row.startMs, to: row.endMs ?? tookMs }] : [],
  );
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of spans.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
