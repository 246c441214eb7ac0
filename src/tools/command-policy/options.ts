import type { Entry } from "./globs.ts";

/** What the policy must know about files, and about this program itself. */
export interface CommandPlace {
  /** Where the command starts; absolute, its links resolved. */
  readonly cwd: string;
  /** It is run beside the conversation, and looked after there: what it leaves running is no surprise. */
  readonly background?: boolean;
  /** The working folder of the session. */
  readonly root: string;
  readonly home: string;
  resolve(path: string, folder: string): string;
  /** Why a path, relative to `folder`, may not be read without a question. */
  whyNotRead(path: string, folder: string): string | undefined;
  /** The same for writing. */
  whyNotWrite(path: string, folder: string): string | undefined;
  /** The same for a whole tree: also when something below it may not. */
  whyNotReadTree(path: string, folder: string, how?: TreeReading): string | undefined;
  /** Why git in this folder may run programs or read elsewhere: a repository's own settings can make it. */
  whyNotGit(folder: string): string | undefined;
  /** What is in a folder; undefined: too much to be looked through, or nobody can tell. */
  entries(path: string, folder: string): readonly Entry[] | undefined;
  /** Where a program is, its links resolved; undefined: nowhere. */
  program(name: string, folder: string): FoundProgram | undefined;
  /** What a variable holds that the command gets. */
  variable(name: string): string | undefined;
  /** A file of this name is in a folder or above it: programs look there for what they should be. */
  isAbove(names: readonly string[], folder: string): boolean;
  /** What nobody but a person changes. */
  readonly own: OwnPlace;
}

export interface TreeReading {
  /** Links in it are followed too. */
  readonly links?: true;
  /** Names that begin with a dot are left out. */
  readonly visible?: true;
  /** Its names become words of a command: none may be one that a shell or a program takes for something else. */
  readonly names?: { readonly ending?: string };
}

export interface FoundProgram {
  readonly path: string;
  /** Why it may be something else tomorrow: it lies where the session writes, or everybody does. */
  readonly unsure?: string;
  /** SHA-256 of its bytes, where it is unsure. */
  readonly hash?: string;
}

export interface OwnPlace {
  /** Config, keys, notes, skills, sessions: absolute. */
  readonly guarded: readonly string[];
  /** Of these, what may be read without a question. */
  readonly readable: readonly string[];
  /** The file this program runs from. */
  readonly files: readonly string[];
  readonly pids: readonly number[];
}

export interface Setting {
  readonly place: CommandPlace;
  readonly folder: string;
}

/** Returns why this use of a program needs a question, or undefined. */
export type Judge = (words: readonly string[], setting: Setting) => string | undefined;

export interface Syntax {
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options with a value that names no file. */
  readonly valued?: string;
  /** Long options: `name` without a value, `name=` with one, `name?` with one only when attached. */
  readonly long?: string;
  /** `-20`. */
  readonly digits?: boolean;
}

export interface Parsed {
  readonly options: readonly string[];
  readonly operands: readonly string[];
  /** Values that were words of their own. */
  readonly values: readonly string[];
}

/** Reads words by a program's option syntax; a string is the option that is not in it. Exact names only: programs accept abbreviations, we do not. */
export function parseWords(words: readonly string[], syntax: Syntax): Parsed | string {
  const long = new Map((syntax.long ?? "").split(" ").map((name) => [name.replace(/[=?]$/, ""), name.slice(-1)]));
  const options: string[] = [];
  const operands: string[] = [];
  const values: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return { options, operands: [...operands, ...words.slice(at + 1)], values };
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const read = word.startsWith("--") ? parseLong(word, long) : parseCluster(word, syntax);
    if (read === undefined) return word;
    options.push(...read.options);
    if (!read.takesNext) continue;
    at += 1;
    values.push(words[at] ?? "");
  }
  return { options, operands, values };
}

interface Option {
  readonly options: readonly string[];
  /** The next word is its value. */
  readonly takesNext: boolean;
}

function parseLong(word: string, long: ReadonlyMap<string, string>): Option | undefined {
  const [name = "", value] = word.slice(2).split("=", 2);
  const kind = long.get(name);
  if (kind === undefined || name === "") return undefined;
  if (value !== undefined && kind !== "=" && kind !== "?") return undefined;
  return { options: [`--${name}`], takesNext: kind === "=" && value === undefined };
}

function parseCluster(word: string, syntax: Syntax): Option | undefined {
  if (syntax.digits === true && /^-\d+$/.test(word)) return { options: [], takesNext: false };
  const options: string[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? "";
    const valued = syntax.valued?.includes(letter) === true;
    if (!valued && syntax.flags?.includes(letter) !== true) return undefined;
    options.push(`-${letter}`);
    if (valued) return { options, takesNext: at === word.length - 1 };
  }
  return { options, takesNext: false };
}

export const unknownOption = (name: string, option: string): string =>
  `${name} is used with ${option}, which is not known to only read.`;

/** Why a path may not be read without a question; what only stands for nothing may. */
export const readProblem = (path: string, { place, folder }: Setting): string | undefined =>
  path === "/dev/null" ? undefined : place.whyNotRead(path, folder);

export const firstProblem = (paths: readonly string[], setting: Setting): string | undefined =>
  paths.map((path) => readProblem(path, setting)).find((why) => why !== undefined);

export const firstTreeProblem = (
  paths: readonly string[],
  { place, folder }: Setting,
  how: TreeReading = {},
): string | undefined => paths.map((path) => place.whyNotReadTree(path, folder, how)).find((why) => why !== undefined);
