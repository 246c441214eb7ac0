/** Letters to add, drop, change, or swap with the next, to make one word of the other. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swaps ? at(before, j - 2) + 1 : Infinity;
      row.push(Math.min(change, swap, at(last, j) + 1, at(row, j - 1) + 1));
    }
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;

/** No name is that long: what is longer is no slip of one. */
const LONGEST_NAME = 80;

/** In a short word, two slips make another word. */
const slipsAllowed = (name: string): number => (name.length > 4 ? 2 : 1);

/** The name that was surely meant by a word with a slip or two in it; undefined when there is none. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > LONGEST_NAME) return undefined;
  const ranked = names.map((name) => ({ name, away: distance(word, name) })).toSorted((a, b) => a.away - b.away);
  return ranked.find(({ name, away }) => away <= slipsAllowed(name))?.name;
}
