import { edited, linesOf, type Edit, type Line, type Span } from "./lines.ts";

/** What edits do to the lines of a text. */
export interface LineDiff {
  /** Hunks of a unified diff. */
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** Numbers of the lines that are new or stand where some have gone, in the text as it is now, from 1. */
  readonly places: readonly string[];
}

/** Lines shown around what has changed. */
const AROUND = 2;

/** Edits stand in order and do not overlap. */
export function lineDiff(text: string, edits: readonly Edit[]): LineDiff {
  const lines: string[] = [];
  const places: string[] = [];
  let [added, removed, moved] = [0, 0, 0];
  const all = linesOf(text);
  for (const group of groups(text, edits)) {
    const { first, old, now } = trimmed(text, group, numberAt(all, group.from));
    const context = contextOf(all, first, old.length);
    const start = first - context.before.length;
    const counts = context.before.length + context.after.length;
    lines.push(
      `@@ -${start},${counts + old.length} +${start + moved},${counts + now.length} @@`,
      ...context.before.map((line) => ` ${line}`),
      ...old.map((line) => `-${line}`),
      ...now.map((line) => `+${line}`),
      ...context.after.map((line) => ` ${line}`),
    );
    const at = first + moved;
    places.push(now.length > 1 ? `${at}-${at + now.length - 1}` : `${at}`);
    [added, removed, moved] = [added + now.length, removed + old.length, moved + now.length - old.length];
  }
  return { lines, added, removed, places };
}

interface Group extends Span {
  readonly edits: Edit[];
}

/** Edits of the same lines together, widened to whole lines. */
function groups(text: string, edits: readonly Edit[]): Group[] {
  const found: { from: number; until: number; edits: Edit[] }[] = [];
  for (const edit of edits) {
    const from = edit.from === 0 ? 0 : text.lastIndexOf("\n", edit.from - 1) + 1;
    const until = endOfLine(text, edit);
    const last = found.at(-1);
    if (last !== undefined && from <= last.until) {
      last.until = Math.max(last.until, until);
      last.edits.push(edit);
    } else found.push({ from, until, edits: [edit] });
  }
  return found;
}

function endOfLine(text: string, { from, until, text: now }: Edit): number {
  // Whole lines that go or come leave the next one as it is.
  const atStart = until === 0 || text[until - 1] === "\n";
  if (atStart && (until > from || now.endsWith("\n")) && (now === "" || now.endsWith("\n"))) return until;
  const newline = text.indexOf("\n", until);
  return newline < 0 ? text.length : newline + 1;
}

/** The lines of a group, without those at both ends that stay the same. */
function trimmed(
  text: string,
  { from, until, edits }: Group,
  line: number,
): { first: number; old: string[]; now: string[] } {
  const own = edits.map((edit) => ({ ...edit, from: edit.from - from, until: edit.until - from }));
  const old = shownLines(text.slice(from, until));
  const now = shownLines(edited(text.slice(from, until), own));
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const first = line + start;
  return { first, old: old.slice(start, old.length - end), now: now.slice(start, now.length - end) };
}

function contextOf(all: readonly Line[], first: number, count: number): { before: string[]; after: string[] } {
  const shown = (from: number, until: number): string[] => all.slice(Math.max(0, from), until).map(({ text }) => text);
  const next = first - 1 + count;
  return { before: shown(first - 1 - AROUND, first - 1), after: shown(next, next + AROUND) };
}

/** The number of the line that begins at this place, or of the next one where none does. */
function numberAt(all: readonly Line[], place: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.from ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

const shownLines = (text: string): string[] => linesOf(text).map((line) => line.text);
