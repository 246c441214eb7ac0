import { likeness } from "../../likeness.ts";
import { linesOf } from "../text/lines.ts";

/** Lines of a file that are looked at; in a larger one only those that are the same count. */
const MOST_LINES = 5_000;
/** Units that are compared with units; more would take seconds. */
const MOST_UNITS = 50_000_000;
/** Of a longer text only so many lines are compared. */
const MOST_WANTED = 100;
/** Lines that are shown. */
const SHOWN = 12;
/** Characters of one of them. */
const LINE_CHARS = 200;
/** Below it, a line is not like another (difflib's own default). */
const LEAST = 0.6;

/** The lines that are most like a text which was not found, with their numbers; undefined: none is. */
export function closestLines(text: string, old: string): string | undefined {
  const lines = linesOf(text).map((line) => line.text);
  const wanted = old.split("\n", MOST_WANTED).map((line) => line.trim());
  const first = wanted.findIndex((line) => line !== "");
  if (first < 0) return undefined;
  const key = wanted[first] ?? "";
  const isMuch = lines.length > MOST_LINES || lines.length * Math.min(key.length, 400) ** 2 > MOST_UNITS;
  const near = lines.flatMap((line, at) => {
    const like = isMuch ? Number(line.trim() === key) : likeTo(line.trim(), key);
    return like < LEAST ? [] : [{ at, like: like + shared(lines, wanted, at - first) }];
  });
  const [best] = near.toSorted((a, b) => b.like - a.like);
  if (best === undefined) return undefined;
  const from = Math.max(0, best.at - first);
  return numbered(lines.slice(from, from + Math.min(SHOWN, wanted.length + 1)), from + 1);
}

function likeTo(line: string, key: string): number {
  const shorter = Math.min(line.length, key.length);
  if (2 * shorter < LEAST * (line.length + key.length)) return 0;
  return likeness(line.slice(0, 400), key.slice(0, 400));
}

/** How many of the lines stand where they would stand, as a share. */
function shared(lines: readonly string[], wanted: readonly string[], from: number): number {
  const found = wanted.filter((line, n) => line !== "" && lines[from + n]?.trim() === line).length;
  return found / wanted.length;
}

/** As read_file shows them. */
export const numbered = (lines: readonly string[], first: number): string =>
  lines.map((line, n) => `${first + n}|${shortLine(line)}`).join("\n");

const shortLine = (line: string): string => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line);
