/** Lines of one text: where more of them differ, all of the old ones are shown as gone and all of the new ones as new. */
const MAX_COMPARED = 2_000;
/** Lines shown around what has changed. */
const AROUND = 2;

/** `+` and `-` in front of what differs, with a few lines around it. Empty where either is no text. */
export function lineChanges(before: string | undefined, after: string | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = changesIn(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const unchanged = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  return [
    ...unchanged(old.slice(Math.max(0, start - AROUND), start)),
    ...shortened(middle),
    ...unchanged(end === 0 ? [] : old.slice(-end).slice(0, AROUND)),
  ];
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/u, "").split("\n"));

/** By the longest common subsequence, where there are few enough lines for it. */
export function changesIn(old: readonly string[], now: readonly string[]): string[] {
  if (old.length * now.length > MAX_COMPARED ** 2)
    return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  const common = commonLengths(old, now);
  const width = now.length + 1;
  const lines: string[] = [];
  let [a, b] = [0, 0];
  while (a < old.length && b < now.length) {
    const [down = 0, right = 0] = [common[(a + 1) * width + b], common[a * width + b + 1]];
    if (old[a] === now[b]) {
      lines.push(` ${old[a]}`);
      [a, b] = [a + 1, b + 1];
    } else if (down >= right) lines.push(`-${old[a++]}`);
    else lines.push(`+${now[b++]}`);
  }
  return [...lines, ...old.slice(a).map((line) => `-${line}`), ...now.slice(b).map((line) => `+${line}`)];
}

function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = now.length - 1; b >= 0; b--)
      table[a * width + b] =
        old[a] === now[b]
          ? (table[(a + 1) * width + b + 1] ?? 0) + 1
          : Math.max(table[(a + 1) * width + b] ?? 0, table[a * width + b + 1] ?? 0);
  return table;
}

/** Long stretches that stay the same are told by their ends. */
function shortened(lines: readonly string[]): string[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => !line.startsWith(" ")),
  );
  return lines.flatMap((line, at) => (near[at] === true ? [line] : near[at - 1] === true ? ["…"] : []));
}
