import { expect, test } from "vitest";
import type { Mode } from "../dialects/script.ts";
import { cellsOf, HANG_MS, verdictOf } from "./matrix.ts";

/** Every fault in one dialect, streamed and in one piece. A file each, so that all cores have some. */
export function matrixTests(mode: Mode): void {
  const rows = cellsOf(mode).map((cell) => ({ ...cell, name: cell.fault.name, how: HOW[cell.way] }));
  test.for(rows)("[D1] [D6] [C18] a fault ends as it must: $name, $how", { timeout: 2 * HANG_MS }, async (cell) => {
    expect((await verdictOf(cell)).problems).toEqual([]);
  });
}

const HOW = { stream: "streamed", whole: "in one piece" } as const;
