/** Comparing more would take longer than what it finds is worth, units of one text times those of the other. */
const MOST_COMPARED = 4_000_000;

/** The measure of the reference (difflib): what share of both texts stands in blocks they have in common, in order. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length * b.length <= MOST_COMPARED) return share(a, b);
  // By whole lines: cruder, and never more.
  const [linesOfA, linesOfB] = [a.split("\n"), b.split("\n")];
  return linesOfA.length * linesOfB.length <= MOST_COMPARED ? share(linesOfA, linesOfB) : 0;
}

/** Whether two texts are at least so alike; most that are not are told from without comparing them. */
export function areAlike(a: string, b: string, least: number): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  return 2 * shorter >= least * (a.length + b.length) && likeness(a, b) >= least;
}

type Units = ArrayLike<string>;

interface Window {
  readonly from: number;
  readonly until: number;
}

function share(a: Units, b: Units): number {
  if (a.length + b.length === 0) return 1;
  const common = inCommon(a, b, { from: 0, until: a.length }, { from: 0, until: b.length });
  return (2 * common) / (a.length + b.length);
}

/** Units in the longest common block, and in those on both sides of it. */
function inCommon(a: Units, b: Units, inA: Window, inB: Window): number {
  const { length, atA, atB } = longestBlock(a, b, inA, inB);
  if (length === 0) return 0;
  const before = inCommon(a, b, { from: inA.from, until: atA }, { from: inB.from, until: atB });
  const after = inCommon(a, b, { from: atA + length, until: inA.until }, { from: atB + length, until: inB.until });
  return length + before + after;
}

function longestBlock(a: Units, b: Units, inA: Window, inB: Window): { length: number; atA: number; atB: number } {
  const longest = { length: 0, atA: 0, atB: 0 };
  // For each place in b: how many units before it are those before the place in a.
  const runs = new Uint32Array(Math.max(0, inB.until - inB.from) + 1);
  for (let atA = inA.from; atA < inA.until; atA++)
    for (let atB = inB.until - 1; atB >= inB.from; atB--) {
      const place = atB - inB.from;
      const length = a[atA] === b[atB] ? (runs[place] ?? 0) + 1 : 0;
      runs[place + 1] = length;
      // Of two that are as long, the earlier one in b.
      if (length > 0 && (length > longest.length || (length === longest.length && atA === longest.atA + length - 1)))
        Object.assign(longest, { length, atA: atA - length + 1, atB: atB - length + 1 });
    }
  return longest;
}
