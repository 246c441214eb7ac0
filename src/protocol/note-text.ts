/** How a file of notes is written (hermes.md §16): a line with this mark alone stands between two of them. */
const MARK = "§";
const BETWEEN = `\n${MARK}\n`;

/** The notes of a file, or of what somebody wants to add to one. */
export function notesIn(text: string): string[] {
  const notes: string[][] = [[]];
  for (const line of text.replaceAll(/\r\n?/gu, "\n").split("\n"))
    if (line.trim() === MARK) notes.push([]);
    else notes.at(-1)?.push(line);
  return notes.map((lines) => lines.join("\n").trim()).filter((note) => note !== "");
}

/** A file of these notes; `notesIn` reads the same ones out of it. */
export const textOf = (notes: readonly string[]): string => (notes.length === 0 ? "" : `${told(notes)}\n`);

/** As a model is told them. */
export const told = (notes: readonly string[]): string => notes.join(BETWEEN);

/** Characters, as people count them: code points. */
export const charactersOf = (notes: readonly string[]): number => [...told(notes)].length;
