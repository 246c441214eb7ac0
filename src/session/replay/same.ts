import { isObject } from "../../protocol/json.ts";
import { MARK } from "../../protocol/redact/mark.ts";

/** What stands for a secret: in records of requests, and in whatever was redacted. */
const HIDDEN = new RegExp(`${MARK.source}|\\*{3}`, "gu");
/** One character for each of them; no text that is sent holds it, since NUL is taken out of what comes in. */
const HOLE = "\0";
/** So many characters behind a hole are looked for in the other text. */
const NEXT = 24;

/**
 * Where two texts differ first, in characters of each; undefined: they say the same. What stands for a secret in one of
 * them may be anything in the other.
 */
export function textsDiffer(expected: string, got: string): { readonly at: number } | undefined {
  if (expected === got) return undefined;
  const [a, b] = [expected.replace(HIDDEN, HOLE), got.replace(HIDDEN, HOLE)];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) [i, j] = [i + 1, j + 1];
    else if (a[i] === HOLE) {
      const next = behindHole(a, i, b, j);
      if (next < 0) return { at: i };
      [i, j] = [i + 1, next];
    } else if (b[j] === HOLE) {
      const next = behindHole(b, j, a, i);
      if (next < 0) return { at: i };
      [i, j] = [next, j + 1];
    } else return { at: i };
  }
  const left = a.slice(i) + b.slice(j);
  return left.replaceAll(HOLE, "") === "" || isHole(a, i) || isHole(b, j) ? undefined : { at: i };
}

const isHole = (text: string, at: number): boolean => text.slice(at) === HOLE;

/** Where the other text goes on as this one does behind its hole; -1: nowhere. */
function behindHole(text: string, hole: number, other: string, from: number): number {
  const end = text.indexOf(HOLE, hole + 1);
  const next = text.slice(hole + 1, Math.min(end < 0 ? text.length : end, hole + 1 + NEXT));
  return next === "" ? other.length : other.indexOf(next, from);
}

/** As JSON says them; undefined is as good as absent. */
export function sameValue(expected: unknown, got: unknown): boolean {
  if (expected === got) return true;
  if (typeof expected === "string" && typeof got === "string") return textsDiffer(expected, got) === undefined;
  if (Array.isArray(expected) && Array.isArray(got))
    return expected.length === got.length && expected.every((value, at) => sameValue(value, got[at]));
  if (!isObject(expected) || !isObject(got)) return isNothing(expected) && isNothing(got);
  const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
  return [...keys].every((key) => sameValue(expected[key], got[key]));
}

/** JSON has neither. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "number" && !Number.isFinite(value));
