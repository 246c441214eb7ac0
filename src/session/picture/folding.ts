import { type PictureRow, type Span, startOf, endOf } from "./picture.ts";

/** Rows of several iterations that are drawn as one. */
export interface FoldedRow extends Span {
  readonly type: "folded";
  readonly rows: number;
  /** Iterations. */
  readonly from: number;
  readonly to: number;
  /** Attempts and calls that failed. */
  readonly failed: number;
}

/** So many rows at the beginning and at the end always stand for themselves; what lies between becomes blocks. */
const FIRST = 60;
const LAST = 100;
const BLOCKS = 40;
/** A drawing has so many rows at most. */
const MOST = FIRST + BLOCKS + LAST;

/** The rows of a long turn, few enough to be looked at: its beginning, its end, and how it went between. */
export function folded(rows: readonly PictureRow[], nowMs: number): (PictureRow | FoldedRow)[] {
  if (rows.length <= MOST) return [...rows];
  const middle = rows.slice(FIRST, -LAST);
  const size = Math.ceil(middle.length / BLOCKS);
  const blocks: FoldedRow[] = [];
  for (let at = 0; at < middle.length; at += size) blocks.push(blockOf(middle.slice(at, at + size), nowMs));
  return [...rows.slice(0, FIRST), ...blocks, ...rows.slice(-LAST)];
}

function blockOf(rows: readonly PictureRow[], nowMs: number): FoldedRow {
  const iterations = rows.flatMap((row) => ("iteration" in row ? [row.iteration] : []));
  return {
    type: "folded",
    rows: rows.length,
    from: Math.min(...iterations),
    to: Math.max(...iterations),
    failed: rows.filter(isFailed).length,
    startMs: Math.min(...rows.map(startOf)),
    endMs: Math.max(...rows.map((row) => endOf(row, nowMs))),
  };
}

const isFailed = (row: PictureRow): boolean =>
  (row.type === "attempt" && (row.end?.type === "failed" || row.end?.type === "lost")) ||
  (row.type === "tool" && row.status === "error");
