/**
 * Colours and cursors (CSI); titles, links, clipboards (OSC and the like), where they end; the escapes of two or three
 * characters. What begins a sequence and ends none loses its beginning alone: the text behind it is kept. The
 * beginning of another one ends the search: none of it is looked at twice.
 */
const SEQUENCES = new RegExp(
  String.raw`(?:\u001B\[|\u009B)[0-?]{0,64}[ -/]{0,8}[@-~]` +
    String.raw`|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u0090\u0098\u009C-\u009F]{0,65536}(?:\u0007|\u001B\\|\u009C)` +
    String.raw`|\u001B[ -/]{0,8}[0-~]`,
  "gu",
);
/** Most providers refuse lone surrogates and NUL; other control characters are for terminals, not for a model. */
const CONTROLS = /[\p{Cc}--[\t\n\r]]/gv;
const UNREADABLE = /[[\p{Cc}\uFFFD]--[\t\n\r]]/gv;

/** So much of a text is looked at to say whether it is one, characters. */
const SAMPLE = 8_192;
const SHORTEST = 64;
/** A program's output is text with a few strange bytes at the most. */
const MOST = 0.1;

/** A text without commands for terminals. */
export const withoutSequences = (text: string): string => text.replace(SEQUENCES, "");

/** What a model can read of a result: no commands for terminals, no control characters, of bytes only that they are some. */
export function plain(text: string): string {
  const shown = withoutSequences(text);
  if (isBytes(shown)) return `[${text.length} characters of binary data are not shown]`;
  return shown.toWellFormed().replace(CONTROLS, "\uFFFD");
}

function isBytes(text: string): boolean {
  if (text.length < SHORTEST) return false;
  const sample = text.slice(0, SAMPLE).toWellFormed();
  return (sample.match(UNREADABLE)?.length ?? 0) > sample.length * MOST;
}
