import { LONGEST_FILE } from "../../protocol/result-file.ts";

/** The beginning of a text; it ends behind a line where one ends in its second half (hermes.md §26.13). */
export function previewOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = text.slice(0, chars);
  const end = start.lastIndexOf("\n") + 1;
  return (end > chars / 2 ? start.slice(0, end) : start).toWellFormed();
}

/** What a model is told of a result that lies in a file. */
export function keptText(text: string, path: string, chars: number): string {
  const part = Buffer.byteLength(text) > LONGEST_FILE ? "The first 10 MB of it lie" : "It lies";
  const how = `${part} in the file "${path}": read on there with read_file, or look for something in it with search_files.`;
  return `[This result has ${text.length} characters, too many to be shown. ${how} It begins:]\n${begun(text, chars)}`;
}

/** The same, where there is no file to point to. */
export const lostText = (text: string, chars: number): string =>
  `[This result had ${text.length} characters, too many to be shown, and could not be kept in a file: ` +
  `the rest is lost. Ask for less at once. It began:]\n${begun(text, chars)}`;

function begun(text: string, chars: number): string {
  const shown = previewOf(text, chars);
  const left = text.length - shown.length;
  return left === 0 ? shown : `${shown.trimEnd()}\n[… ${left} characters more]`;
}
