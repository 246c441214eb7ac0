/** The white space that the first line which is not blank begins with. */
export const indentOf = (text: string): string => /^([ \t]*)\S/mu.exec(text)?.[1] ?? "";

/** A text written against one indentation, against another: each line keeps what it has more; blank lines stay. */
export function reindented(text: string, from: string, to: string): string {
  if (from === to) return text;
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : moved(line, from, to)))
    .join("\n");
}

function moved(line: string, from: string, to: string): string {
  if (line.startsWith(from)) return to + line.slice(from.length);
  const own = /^[ \t]*/u.exec(line)?.[0] ?? "";
  // It stands further left than the line that the indentation was taken from.
  return to.slice(0, Math.max(0, to.length - (from.length - own.length))) + line.slice(own.length);
}
