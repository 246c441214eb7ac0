/** A place in a text, in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** What comes in the place of a span. */
export interface Edit extends Span {
  readonly text: string;
}

/** One line of a text and where it stands. */
export interface Line extends Span {
  /** Without its line break; `until` is where that begins. */
  readonly text: string;
  /** "\n", "\r\n", or nothing at the end of a text without a last line break. */
  readonly end: "\n" | "\r\n" | "";
}

/** A last line break ends the last line: no empty line follows it. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf("\n", from);
    const stop = newline < 0 ? text.length : newline;
    const end = newline < 0 ? "" : newline > from && text[newline - 1] === "\r" ? "\r\n" : "\n";
    const until = end === "\r\n" ? stop - 1 : stop;
    lines.push({ from, until, text: text.slice(from, until), end });
    from = stop + 1;
  }
  return lines;
}

/** The line break that most lines of a text have. */
export function usualBreak(text: string): "\n" | "\r\n" {
  let [lines, returns] = [0, 0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (at > 0 && text[at - 1] === "\r") returns += 1;
  }
  return returns * 2 > lines ? "\r\n" : "\n";
}

/** Edits stand in order and do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  let [done, at] = ["", 0];
  for (const { from, until, text: now } of edits) {
    done += text.slice(at, from) + now;
    at = until;
  }
  return done + text.slice(at);
}

/** The number of the line that a place stands in, from 1. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
