import type { Line } from "../text/lines.ts";
import type { Hunk } from "./parse-patch.ts";
import { plainCharacters } from "./strategies.ts";

/** Where a hunk stands: its lines that are there already begin at line `from` of the file, from 0. */
export interface Placed {
  readonly type: "placed";
  readonly hunk: Hunk;
  readonly from: number;
  readonly count: number;
  /** The lines are not the same, only alike. */
  readonly loose: boolean;
}

export type Place =
  | Placed
  | { readonly type: "absent" }
  /** Numbers of lines, from 1. */
  | { readonly type: "several"; readonly lines: readonly number[] };

/** What of a line counts, from all of it to its words alone. */
const SHAPES: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => plainCharacters(line).replace(/\s+/gu, " ").trim(),
];

/** `before`: hunks of the same file that have their place. */
export function placeOf(hunk: Hunk, lines: readonly Line[], before: readonly Placed[]): Place {
  const old = hunk.lines.filter(({ type }) => type !== "add").map(({ text }) => text);
  const anchor = anchorOf(hunk, lines, (before.at(-1)?.from ?? 0) + (before.at(-1)?.count ?? 0));
  if (old.length === 0) return insertion(hunk, lines, anchor);
  for (const [level, shape] of SHAPES.entries()) {
    const found = matches(old.map(shape), lines, shape).filter((from) => isFree(from, old.length, before));
    const from = chosen(found, { hunk, anchor, before, end: lines.length - old.length });
    if (from !== undefined) return { type: "placed", hunk, from, count: old.length, loose: level > 1 };
    if (found.length > 0) return { type: "several", lines: found.map((at) => at + 1) };
  }
  return { type: "absent" };
}

function matches(old: readonly string[], lines: readonly Line[], shape: (line: string) => string): number[] {
  const own = lines.map(({ text }) => shape(text));
  const found: number[] = [];
  for (let at = 0; at + old.length <= own.length; at++)
    if (old.every((line, n) => own[at + n] === line)) found.push(at);
  return found;
}

const isFree = (from: number, count: number, before: readonly Placed[]): boolean =>
  before.every((other) => from + count <= other.from || from >= other.from + other.count);

interface Choice {
  readonly hunk: Hunk;
  readonly anchor: number | undefined;
  readonly before: readonly Placed[];
  /** Where a hunk begins that reaches to the end of the file. */
  readonly end: number;
}

/** The one place that is meant; undefined: there is none, or nothing says which. */
function chosen(found: readonly number[], { hunk, anchor, before, end }: Choice): number | undefined {
  if (found.length <= 1) return found[0];
  if (hunk.atEnd && found.includes(end)) return end;
  // The anchor may stand among the lines of the hunk too.
  const behind = anchor === undefined ? undefined : found.find((from) => from >= anchor);
  if (behind !== undefined) return behind;
  if (hunk.line !== undefined && found.includes(hunk.line - 1)) return hunk.line - 1;
  const last = before.at(-1);
  const later = last === undefined ? [] : found.filter((from) => from >= last.from + last.count);
  return later.length === 1 ? later[0] : undefined;
}

/** The line of the innermost anchor, each looked for behind the one around it; undefined: one of them is not there. */
function anchorOf({ anchors }: Hunk, lines: readonly Line[], from: number): number | undefined {
  let at: number | undefined;
  for (const anchor of anchors) {
    at = anchorFrom(anchor, lines, at === undefined ? from : at + 1) ?? anchorFrom(anchor, lines, 0);
    if (at === undefined) return undefined;
  }
  return at;
}

function anchorFrom(anchor: string, lines: readonly Line[], from: number): number | undefined {
  const wanted = anchor.trim();
  const whole = lines.findIndex(({ text }, at) => at >= from && text.trim() === wanted);
  const part = whole >= 0 ? whole : lines.findIndex(({ text }, at) => at >= from && text.includes(wanted));
  return part < 0 ? undefined : part;
}

/** Lines that only come: behind the anchor, before the line that it names, or at the end. */
function insertion(hunk: Hunk, lines: readonly Line[], anchor: number | undefined): Place {
  if (hunk.anchors.length > 0 && anchor === undefined) return { type: "absent" };
  const named = hunk.line === undefined ? lines.length : Math.min(lines.length, hunk.line);
  const from = anchor === undefined ? named : anchor + 1;
  return { type: "placed", hunk, from, count: 0, loose: false };
}
