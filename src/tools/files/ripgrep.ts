import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../paths.ts";
import type { SearchRequest } from "./search-request.ts";
import { SKIPPED_FOLDERS } from "./walk.ts";

/** ripgrep on the PATH, in folders of the system alone: what lies in the working folder is run by nobody unasked. */
export function findRipgrep(path: string, cwd: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder) || isInside(cwd, folder)) continue;
    const program = join(folder, process.platform === "win32" ? "rg.exe" : "rg");
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {}
  }
  return undefined;
}

interface Wanted {
  readonly program: string;
  /** As ripgrep reads it (`rustPattern`). */
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** Bytes; larger files are not looked at. */
  readonly maxFileBytes: number;
}

/**
 * Paths below the root of files that have a line for the pattern, and maybe of some that have none: each is opened and
 * looked through again by the search itself. Undefined when ripgrep could not say. Rejects when the signal aborts.
 */
export async function filesWithMatches(search: SearchRequest, wanted: Wanted): Promise<string[] | undefined> {
  // No environment: there is a variable that names a file of options.
  const child = spawn(wanted.program, argumentsOf(search, wanted), {
    cwd: search.root,
    env: { PATH: "" },
    stdio: ["ignore", "pipe", "ignore"],
    signal: search.signal,
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk);
  const code = await ended;
  search.signal.throwIfAborted();
  // 1: none found. 2: a part could not be read, or the pattern.
  if (code !== 0 && code !== 1) return undefined;
  const paths = Buffer.concat(chunks).toString("utf8").split("\0").slice(0, -1);
  return paths.map((path) => path.replace(/^\.\//, "")).toSorted(inOrderOfWalk);
}

/** Fixed, but for what was asked: what ripgrep would take from elsewhere is switched off. */
const FIXED =
  "--no-config --no-messages --color=never --files-with-matches --null --text --crlf --encoding=none --hidden --no-follow --one-file-system --no-ignore-global".split(
    " ",
  );

const argumentsOf = (search: SearchRequest, { pattern, ignoreCase, maxFileBytes }: Wanted): string[] => [
  ...FIXED,
  search.ignored ? "--no-ignore" : "--ignore",
  ignoreCase ? "--ignore-case" : "--case-sensitive",
  `--max-filesize=${maxFileBytes}`,
  ...[...SKIPPED_FOLDERS].map((name) => `--glob=!${name}/`),
  ...(/^\*\.\w+$/.test(search.glob) ? [`--type-add=asked:${search.glob}`, "--type=asked"] : []),
  `--regexp=${pattern}`,
  "--",
  "./",
];

/** The files of a folder before those in folders below it, each by name. */
function inOrderOfWalk(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  for (let at = 0; ; at += 1) {
    const [one, other] = [left[at] ?? "", right[at] ?? ""];
    const isFile = left.length === at + 1;
    if (isFile !== (right.length === at + 1)) return isFile ? -1 : 1;
    if (one !== other) return one < other ? -1 : 1;
    if (isFile) return 0;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  // Of what is blank the two think otherwise; each of these holds all that the other means.
  s: String.raw`[\s\x{FEFF}]`,
  S: String.raw`[\S\x{85}]`,
  b: String.raw`(?-u:\b)`,
  t: String.raw`\t`,
};

const PIECE =
  /\\(?<escaped>[^])|(?<set>\[(?:\\[^]|[^\]\\])*\])|(?<repeat>\{\d+(?:,\d*)?\})|(?<group>\((?:\?(?::|))?)|(?<char>[^])/gy;

/**
 * A regular expression of JavaScript as ripgrep reads it, so that no line is missed; undefined where the two may differ in
 * what they find.
 */
export function rustPattern(pattern: string, ignoreCase: boolean): string | undefined {
  if (ignoreCase && /[^\x20-\x7E]/.test(pattern)) return undefined;
  const pieces = [...pattern.matchAll(PIECE)].map(({ groups = {} }) => pieceOf(groups));
  return pieces.every((piece) => piece !== undefined) ? pieces.join("") : undefined;
}

function pieceOf({ escaped, set, repeat, group, char = "" }: Partial<Record<string, string>>): string | undefined {
  if (escaped !== undefined) return CLASSES[escaped] ?? (/^[^\w\s]$/.test(escaped) ? literal(escaped) : undefined);
  // Sets within sets, and their operators, are ripgrep's alone; so are its classes in them.
  if (set !== undefined) return /^\[\^?[^\]\\[&~-][^\\[&~]*\]$/.test(set) && !set.includes("--") ? set : undefined;
  if (repeat !== undefined) return repeat;
  if (group !== undefined) return group === "(?" ? undefined : group;
  return /[{}\]\n\r]/.test(char) ? undefined : char;
}

const literal = (char: string): string => (/[\\.+*?()|[\]{}^$#&~-]/.test(char) ? `\\${char}` : char);
