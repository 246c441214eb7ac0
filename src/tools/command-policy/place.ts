import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { canonicalPath, isInside, PathError, whyAskToRead, whyAskToWrite, whyPrivate, type Place } from "../paths.ts";
import type { Entry } from "./globs.ts";
import type { CommandPlace, FoundProgram, OwnPlace, TreeReading } from "./options.ts";
import { exists, repositoryProblem } from "./repository.ts";

/** A larger tree is not looked through before a question; the question is asked instead. */
const MAX_TREE = 5_000;
const MAX_ENTRIES = 2_000;
/** Bytes; a larger program is told by its size and time. */
const MAX_HASHED = 64 * 1024 * 1024;

type Environment = Readonly<Record<string, string>>;

/** Judges the paths of a command that starts in `cwd`, and sees `env`, by the files that are there now. */
export function commandPlace(place: Place, cwd: string, env: Environment = {}): CommandPlace {
  const resolve = (path: string, folder: string): string => canonicalPath(path, { cwd: folder, home: place.home });
  const judged =
    (judge: typeof whyAskToRead) =>
    (path: string, folder: string): string | undefined => {
      try {
        return judge(resolve(path, folder), place);
      } catch (error) {
        if (error instanceof PathError) return error.message;
        throw error;
      }
    };
  const whyNotRead = judged(whyAskToRead);
  return {
    cwd,
    root: place.cwd,
    home: place.home,
    resolve,
    whyNotRead,
    whyNotWrite: judged(whyAskToWrite),
    whyNotReadTree: (path, folder, how = {}) =>
      whyNotRead(path, folder) ?? treeProblem(resolve(path, folder), place, how),
    whyNotGit: repositoryProblem,
    entries: (path, folder) => entriesIn(isAbsolute(path) ? path : join(folder, path)),
    program: (name, folder) => foundProgram(name, { folder, place, path: env["PATH"] ?? "" }),
    variable: (name) => (name === "HOME" ? (env["HOME"] ?? place.home) : env[name]),
    isAbove: (names, folder) => isAbove(names, folder),
    own: ownPlace(place),
  };
}

const ownPlace = ({ guarded, readable = [] }: Place): OwnPlace => ({
  guarded,
  readable,
  files: [process.argv[1]].filter((path) => path !== undefined).map(realPath),
  pids: [process.pid, process.ppid],
});

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** What of a name the words of a command would not be split at or read otherwise, once xargs has split them. */
const PLAIN_NAME = /^[^\s'"\\-][^\s'"\\]*$/u;

/** Stands for bytes of a name that are no text: by this name nobody finds the file. */
const NO_TEXT = "\uFFFD";

function treeProblem(root: string, place: Place, how: TreeReading): string | undefined {
  const pending: Below[] = [{ folder: root, how: named(basename(root), how) }];
  let seen = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of entriesOf(at.folder)) {
      seen += 1;
      if (seen > MAX_TREE) return "The command reads a tree too large to be looked through beforehand.";
      if (how.visible === true && entry.name.startsWith(".")) continue;
      const why = entryProblem(entry, at.folder, { place, how: at.how });
      if (why !== undefined) return why;
      pending.push(...below(entry, at));
    }
  }
  return undefined;
}

interface Below {
  readonly folder: string;
  readonly how: TreeReading;
}

/** A folder whose own name becomes a word may be read with all that is in it; a link is followed where links are. */
function below(entry: Dirent, { folder, how }: Below): Below[] {
  const path = join(folder, entry.name);
  const isLink = how.links === true && entry.isSymbolicLink();
  if (!entry.isDirectory() && !isLink) return [];
  return [{ folder: isLink ? realPath(path) : path, how: named(entry.name, how) }];
}

const named = (name: string, how: TreeReading): TreeReading =>
  how.names?.ending !== undefined && name.endsWith(how.names.ending) ? { ...how, names: {} } : how;

function entryProblem(
  entry: Dirent,
  folder: string,
  { place, how }: { readonly place: Place; readonly how: TreeReading },
): string | undefined {
  const path = join(folder, entry.name);
  if (entry.name.includes(NO_TEXT)) return "A file's name is no text, so where it leads cannot be told.";
  if (how.names !== undefined) {
    const { ending } = how.names;
    if (ending !== undefined && !entry.isDirectory() && !entry.name.endsWith(ending)) return undefined;
    if (!PLAIN_NAME.test(entry.name)) return "A file's name would be read as something else.";
  }
  const why = whyPrivate(path, place);
  if (why !== undefined || how.links !== true || !entry.isSymbolicLink()) return why;
  return whyAskToRead(realPath(path), place);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function entriesIn(folder: string): readonly Entry[] | undefined {
  const entries = entriesOf(folder);
  if (entries.length > MAX_ENTRIES || entries.some(({ name }) => name.includes(NO_TEXT))) return undefined;
  return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() || entry.isSymbolicLink() }));
}

function isAbove(names: readonly string[], folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (names.some((name) => exists(join(at, name)))) return true;
    if (at === dirname(at)) return false;
  }
}

interface Looking {
  readonly folder: string;
  readonly place: Place;
  readonly path: string;
}

/** As the shell finds it: a name with a slash is a path, another is looked for along PATH. */
function foundProgram(name: string, { folder, place, path }: Looking): FoundProgram | undefined {
  const candidates = name.includes("/")
    ? [isAbsolute(name) ? name : join(folder, name)]
    : path.split(delimiter).map((entry) => join(entry, name));
  const found = candidates.find(isProgram);
  if (found === undefined) return undefined;
  const real = realPath(found);
  const unsure = whyUnsure(real, place);
  if (unsure === undefined) return { path: real };
  return { path: real, unsure, hash: hashOf(real) };
}

function isProgram(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

function whyUnsure(real: string, place: Place): string | undefined {
  if (isInside(place.cwd, real)) return "it lies in the working folder";
  const worldWritable = [real, dirname(real)].some((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    // A sticky folder lets nobody take another's file away.
    return (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
  });
  return worldWritable ? "everybody can change it" : undefined;
}

function hashOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  const content = size > MAX_HASHED ? `${size} ${mtimeMs}` : readFileSync(path);
  return createHash("sha256").update(content).digest("hex");
}
