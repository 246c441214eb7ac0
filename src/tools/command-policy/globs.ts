/** What is in a folder; undefined: too much to be looked through, or nobody can tell. */
export type Entries = (path: string) => readonly Entry[] | undefined;

export interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

interface Piece {
  readonly text: string;
  readonly isPattern?: true;
}

/** A pattern may lead through this many folders. */
const MAX_PATHS = 500;

/**
 * The paths that a pattern stands for, as the shell would fill them in or more: classes of characters are read generously,
 * since what a locale makes of them is not known. Undefined when it cannot be told.
 */
export function expandGlob(pieces: readonly Piece[], entries: Entries): string[] | undefined {
  const parts = componentsOf(pieces);
  let paths = [""];
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const text = part.map((piece) => piece.text).join("");
    if (!part.some((piece) => piece.isPattern === true)) {
      paths = paths.map((path) => path + text + (isLast ? "" : "/"));
      continue;
    }
    // `**` is two stars, and no more, unless an option is set that no command here sets.
    const matched = paths.map((path) => matchesIn(path, part, { entries, needsFolder: !isLast }));
    if (matched.includes(undefined)) return undefined;
    paths = matched.flatMap((found) => found ?? []);
    if (paths.length > MAX_PATHS) return undefined;
  }
  return paths;
}

function matchesIn(
  path: string,
  part: readonly Piece[],
  { entries, needsFolder }: { readonly entries: Entries; readonly needsFolder: boolean },
): string[] | undefined {
  const listed = entries(path === "" ? "." : path);
  if (listed === undefined) return undefined;
  const pattern = patternOf(part);
  const dots = [".", ".."].map((name) => ({ name, isFolder: true }));
  return [...listed, ...dots]
    .filter(({ name, isFolder }) => pattern.test(name) && (isFolder || !needsFolder))
    .map(({ name }) => path + name + (needsFolder ? "/" : ""));
}

/** A name that begins with a dot is matched only by a pattern that does. */
function patternOf(part: readonly Piece[]): RegExp {
  const source = part.map(({ text, isPattern }) => {
    if (isPattern !== true) return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    if (text === "*") return "[^]*";
    return text === "?" || !/^\[[\w.]+\]$/.test(text) ? "[^]" : text;
  });
  const isHidden = part[0]?.isPattern !== true && part[0]?.text.startsWith(".") === true;
  return new RegExp(`^${isHidden ? "" : String.raw`(?!\.)`}${source.join("")}$`, "iu");
}

function componentsOf(pieces: readonly Piece[]): Piece[][] {
  const parts: Piece[][] = [[]];
  for (const piece of pieces) {
    const names = piece.isPattern === true ? [piece.text] : piece.text.split("/");
    for (const [at, text] of names.entries()) {
      if (at > 0) parts.push([]);
      if (text !== "") parts.at(-1)?.push({ ...piece, text });
    }
  }
  return parts;
}
