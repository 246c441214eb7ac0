import { expect, test } from "vitest";
import type { Mode } from "../dialects/script.ts";
import type { Cell } from "./cell.ts";
import { CELLS, FAMILIES, verdictOf } from "./matrix.ts";

/** Every fault in one dialect, streamed and in one piece. A file each, so that all cores have some. */
export function matrixTests(mode: Mode): void {
  for (const { rows, faults } of FAMILIES)
    for (const cell of CELLS.filter(({ fault, side }) => side.wire.mode === mode && faults.includes(fault)))
      test(`${shownBy(cell, rows)} a fault ends as it must: ${cell.fault.name}, ${HOW[cell.way]}`, async () => {
        expect((await verdictOf(cell)).problems).toEqual([]);
      });
}

const shownBy = ({ way }: Cell, rows: readonly string[]): string =>
  [...rows, ...(way === "whole" ? ["C18"] : [])].map((row) => `[${row}]`).join(" ");

const HOW = { stream: "streamed", whole: "in one piece" } as const;
