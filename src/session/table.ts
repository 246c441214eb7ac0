import { textWidth } from "./text-width.ts";

/** A table as lines; its first `words` columns and the last one begin at the left, the others are numbers. */
export function aligned(table: readonly (readonly string[])[], words: number): string[] {
  const widths = (table[0] ?? []).map((_head, at) => Math.max(...table.map((row) => textWidth(row[at] ?? ""))));
  return table.map((row) =>
    row
      .map((cell, at) => {
        const gap = " ".repeat((widths[at] ?? 0) - textWidth(cell));
        return at < words || at === row.length - 1 ? cell + gap : gap + cell;
      })
      .join("  ")
      .trimEnd(),
  );
}
