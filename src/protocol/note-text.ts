import { joinedNotes, NOTE_MARK } from "./memory.ts";

/** The notes of a file, or of what somebody wants to add to one. */
export function notesIn(text: string): string[] {
  const notes: string[][] = [[]];
  for (const line of text.replaceAll(/\r\n?/gu, "\n").split("\n"))
    if (line.trim() === NOTE_MARK) notes.push([]);
    else notes.at(-1)?.push(line);
  return notes.map((lines) => lines.join("\n").trim()).filter((note) => note !== "");
}

/** A file of these notes; `notesIn` reads the same ones out of it. */
export const textOf = (notes: readonly string[]): string => (notes.length === 0 ? "" : `${joinedNotes(notes)}\n`);
