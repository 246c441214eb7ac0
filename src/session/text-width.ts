import { eastAsianWidth } from "get-east-asian-width";

/** Made when it is first needed: that takes as long as a small program takes to start. */
let segmenter: Intl.Segmenter | undefined;

/** A text as people count its characters: an accent or a family of emoji is one. */
export function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const PLAIN_TEXT = /^[\u0020-\u007E]*$/u;
const UNSEEN = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
/** Asks for the coloured form of a sign, which takes two columns; a flag is a pair of letters. */
const AS_EMOJI = /\uFE0F|^\p{RI}\p{RI}/u;

/** Columns of one character on a terminal (UAX #11; ambiguous ones count one). */
function widthOf(character: string): number {
  if (UNSEEN.test(character)) return 0;
  return AS_EMOJI.test(character) ? 2 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** Columns of a text without line breaks. */
export function textWidth(text: string): number {
  if (PLAIN_TEXT.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + widthOf(character), 0);
}

/** As much of a text as fits into so many columns. */
export function fitting(text: string, columns: number): string {
  if (PLAIN_TEXT.test(text)) return text.slice(0, columns);
  let left = columns;
  let shown = "";
  // Even of the widest clusters no more can fit: a line of a megabyte is not taken apart.
  for (const character of charactersOf(text.slice(0, columns * 8))) {
    left -= widthOf(character);
    if (left < 0) break;
    shown += character;
  }
  return shown;
}

/** Where the cursor stands behind a text without line breaks, from a column of its row; `columns`: the row is full. */
export function columnAfter(text: string, from: number, columns: number): number {
  if (text === "") return from;
  if (PLAIN_TEXT.test(text)) return ((from + text.length - 1) % columns) + 1;
  let column = from;
  for (const character of charactersOf(text)) {
    const width = character === "\t" ? 8 - (column % 8) : widthOf(character);
    column = column + width > columns ? width : column + width;
  }
  return column;
}
