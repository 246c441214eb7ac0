/** The commands of the program, each with its own ones. */
export type CommandNames = ReadonlyMap<string, readonly string[]>;

/**
 * The command that was meant by words that are none, or undefined when they are a message. A sentence is one, unless it
 * begins like a command and goes on like it.
 */
export function meantCommand(words: readonly string[], commands: CommandNames): string | undefined {
  const [first = "", second, ...rest] = words;
  if (/\s/u.test(first)) return undefined;
  if (second === undefined) return nearestName(first, [...commands.keys()]) ?? wholeCommand(first, commands);
  for (const [name, verbs] of commands)
    if (verbs.includes(second) && distance(first, name) <= 2) return [name, second, ...rest].join(" ");
  return undefined;
}

/** `list` alone means `session list`. */
function wholeCommand(verb: string, commands: CommandNames): string | undefined {
  for (const [name, verbs] of commands) if (verbs.includes(verb)) return `${name} ${verb}`;
  return undefined;
}

/** In a short word, two slips make another word. */
const slipsAllowed = (name: string): number => (name.length > 4 ? 2 : 1);

function nearestName(word: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, away: distance(word, name) })).toSorted((a, b) => a.away - b.away);
  return ranked.find(({ name, away }) => away <= slipsAllowed(name))?.name;
}

/** Letters to add, drop, change, or swap with the next, to make one word of the other. */
function distance(a: string, b: string): number {
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
