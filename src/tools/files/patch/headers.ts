/** A line of a patch that says which file comes. */
export type Header =
  | { readonly type: "update" | "add" | "delete"; readonly path: string }
  | { readonly type: "move"; readonly from: string; readonly to: string }
  /** Inside an update: the file gets another name as well. */
  | { readonly type: "move-to"; readonly to: string }
  | { readonly type: "begin" | "end" | "end-of-file" };

const FORMS: readonly (readonly [RegExp, (first: string, second: string) => Header])[] = [
  [/^begin\s+patch$/iu, () => ({ type: "begin" })],
  [/^end\s+patch$/iu, () => ({ type: "end" })],
  [/^end\s+of\s+file$/iu, () => ({ type: "end-of-file" })],
  [/^update\s+file:\s*(\S.*)$/iu, (path) => ({ type: "update", path })],
  [/^(?:add|create)\s+file:\s*(\S.*)$/iu, (path) => ({ type: "add", path })],
  [/^(?:delete|remove)\s+file:\s*(\S.*)$/iu, (path) => ({ type: "delete", path })],
  [/^(?:move|rename)\s+file:\s*(\S.*?)\s*->\s*(\S.*)$/iu, (from, to) => ({ type: "move", from, to })],
  [/^move\s+to:\s*(\S.*)$/iu, (to) => ({ type: "move-to", to })],
];

/** hermes.md §26.15: a header may stand without the space behind the stars. Undefined: any other line. */
export function headerIn(line: string): Header | undefined {
  const rest = /^\*\*\*\s*(\S.*?)\s*$/u.exec(line)?.[1];
  if (rest === undefined) return undefined;
  for (const [form, made] of FORMS) {
    const found = form.exec(rest);
    if (found !== null) return made(found[1] ?? "", found[2] ?? "");
  }
  return undefined;
}

/** Every path that a patch names, both sides of a move (hermes.md §14.1): what it may touch is known without reading it. */
export function pathsIn(patch: string): string[] {
  const paths = new Set<string>();
  for (const line of patch.split(/\r?\n/u)) {
    const header = headerIn(line);
    if (header === undefined) continue;
    if ("path" in header) paths.add(header.path);
    if ("from" in header) paths.add(header.from);
    if ("to" in header) paths.add(header.to);
  }
  return [...paths];
}
