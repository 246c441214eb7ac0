import { expect, test } from "vitest";
import type { Mode } from "../dialects/script.ts";
import { cellsOf, verdictOf } from "./matrix.ts";

/** Every fault in one dialect, streamed and in one piece. A file each, so that all cores have some. */
export function matrixTests(mode: Mode): void {
  for (const cell of cellsOf(mode))
    test(`[D1] [D6] [C18] a fault ends as it must: ${cell.fault.name}, ${HOW[cell.way]}`, async () => {
      expect((await verdictOf(cell)).problems).toEqual([]);
    });
}

const HOW = { stream: "streamed", whole: "in one piece" } as const;
