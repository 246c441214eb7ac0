import { changesIn } from "./line-changes.ts";

/** Lines shown around what has changed. */
const AROUND = 3;

const NO_END = "\n\\ No newline at end of file";

/** The hunks of a unified diff, as `patch` reads them; empty where the texts are the same. */
export function unifiedHunks(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  if (start === old.length && start === now.length) return [];
  const same = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  const from = Math.max(0, start - AROUND);
  const behind = old.slice(old.length - end, old.length - end + AROUND);
  const lines = [
    ...same(old.slice(from, start)),
    ...changesIn(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(behind),
  ];
  return hunksOf(lines, from);
}

/** A last line that has no end is another one than the same with an end. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, last + NO_END];
}

/** `skipped`: so many lines stand before the first on both sides. */
function hunksOf(lines: readonly string[], skipped: number): string[] {
  const changed = lines.flatMap((line, at) => (line.startsWith(" ") ? [] : [at]));
  const out: string[] = [];
  let [old, now, at] = [skipped, skipped, 0];
  for (let first = 0; first < changed.length;) {
    let last = first;
    while (last + 1 < changed.length && (changed[last + 1] ?? 0) - (changed[last] ?? 0) <= 2 * AROUND) last += 1;
    const from = Math.max(0, (changed[first] ?? 0) - AROUND);
    const body = lines.slice(from, (changed[last] ?? 0) + AROUND + 1);
    for (; at < from; at++) [old, now] = [old + 1, now + 1];
    const [removed, added] = [sideOf(body, "+"), sideOf(body, "-")];
    out.push(`@@ -${range(old, removed)} +${range(now, added)} @@`, ...body);
    [old, now, at] = [old + removed, now + added, from + body.length];
    first = last + 1;
  }
  return out;
}

/** Lines of one side: all but those of the other. */
const sideOf = (body: readonly string[], other: string): number =>
  body.filter((line) => !line.startsWith(other)).length;

const range = (before: number, count: number): string =>
  count === 1 ? `${before + 1}` : `${count === 0 ? before : before + 1},${count}`;
