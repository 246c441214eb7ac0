import type { Cell } from "./draft.ts";
import { textWidth } from "../../session/text-width.ts";

/** A place on the screen, from 0, within what is drawn. */
export interface Caret {
  readonly row: number;
  readonly column: number;
}

export interface Layout {
  readonly rows: readonly string[];
  readonly caret: Caret;
}

const TAB = "    ";

/** A text behind its prompt, broken into rows that fit; further rows stand under the first. */
export function layOut(prompt: string, cells: readonly Cell[], at: number, columns: number): Layout {
  const room = Math.max(columns - 1, 2);
  const indent = " ".repeat(Math.min(textWidth(prompt), room - 2));
  const rows = [prompt];
  let column = textWidth(prompt);
  let caret: Caret = { row: 0, column };
  const next = (): void => {
    rows.push(indent);
    column = indent.length;
  };
  cells.forEach((cell, index) => {
    const shown = shownAs(cell);
    const width = textWidth(shown);
    if (column + width > room) next();
    if (index === at) caret = { row: rows.length - 1, column };
    if (cell === "\n") return next();
    rows[rows.length - 1] += shown;
    column += width;
  });
  if (at >= cells.length) {
    if (column >= room) next();
    caret = { row: rows.length - 1, column };
  }
  return { rows, caret };
}

function shownAs(cell: Cell): string {
  if (typeof cell !== "string") return cell.label;
  if (cell === "\n") return "";
  return cell === "\t" ? TAB : cell;
}

/** At most so many rows, those around the caret. */
export function around({ rows, caret }: Layout, most: number): Layout {
  const first = Math.max(0, Math.min(caret.row - most + 1, rows.length - most));
  return { rows: rows.slice(first, first + most), caret: { row: caret.row - first, column: caret.column } };
}
