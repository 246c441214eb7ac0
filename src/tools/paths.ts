import { lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import type { Claim } from "../protocol/tool.ts";
import { whyNoPath } from "./path-guard/path-text.ts";
import { isMagicLink, isOwnProcess, steersPrograms, whatItGivesAway } from "./path-guard/protected-names.ts";

/** Where the tools of one session work. All paths are absolute and resolved through symlinks. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  /** Folders and files of the program itself, such as its state: no tool reads or writes there, whoever would agree. */
  readonly guarded: readonly string[];
  /** Folders outside of the working folder that may be read, such as that of the skills; also in what is guarded. */
  readonly readable?: readonly string[];
  /** What the owner listed beside the working folder (`files.roots`). */
  readonly roots?: readonly Root[];
}

export interface Root {
  readonly path: string;
  readonly access: "read" | "write";
}

type Mode = "reads" | "writes";

/** A path that names nothing a tool could touch. The message is one sentence for the model. */
export class PathError extends Error {
  override readonly name = "PathError";
}

/** As many as Linux follows before it says ELOOP. */
const MAX_LINKS = 40;

const FOLDS_CASE = process.platform === "darwin" || process.platform === "win32";

/** Where a path leads. */
interface Resolved {
  readonly real: string;
  /** The first symlink inside of a root that was followed. */
  readonly link?: string;
  /** The root that a symlink led out of. */
  readonly left?: string;
  /** The last name itself is a symlink. */
  readonly endsInLink: boolean;
}

/**
 * The one absolute name of what a path leads to (row E4): `~` and relative paths expanded, every symlink on the way
 * followed as far as it exists, a dangling link to where it points, `..` after a link from where the link leads, as
 * the system does it. Throws PathError.
 */
export const canonicalPath = (given: string, place: Pick<Place, "cwd" | "home">): string =>
  resolvePath(given, place).real;

function absolutePath(given: string, place: Pick<Place, "cwd" | "home">): string {
  const why = whyNoPath(given);
  if (why !== undefined) throw new PathError(why);
  if (given === "~" || given.startsWith(`~${sep}`)) return place.home + given.slice(1);
  // Not joined: that would take `..` from the text.
  return isAbsolute(given) ? given : place.cwd + sep + given;
}

/** What realpath does, but past the end of what exists, and not into a process. */
function resolvePath(given: string, place: Pick<Place, "cwd" | "home" | "roots" | "readable">): Resolved {
  const absolute = absolutePath(given, place);
  const root = parse(absolute).root;
  const pending = absolute.slice(root.length).split(sep).reverse();
  const walked: Walked = { done: root, links: 0, link: undefined, endsInLink: false, isThere: true };
  while (pending.length > 0) {
    const name = pending.pop() ?? "";
    if (staysThere(name)) continue;
    if (name === "..") goUp(walked, given);
    else pending.push(...goDown(walked, join(walked.done, name), { place, rest: pending }));
    if (walked.links > MAX_LINKS) throw new PathError(`${printable(given)} is a loop of symbolic links.`);
  }
  return described(walked, place);
}

interface Walked {
  done: string;
  links: number;
  /** The first symlink inside of a root that was followed. */
  link: string | undefined;
  endsInLink: boolean;
  /** Nothing is below what is not there, also not the folder above it. */
  isThere: boolean;
}

/** The path leads up out of a folder that is not there. */
class NothingThere extends PathError {}

function goUp(walked: Walked, given: string): void {
  if (!walked.isThere) throw new NothingThere(`${printable(given)} does not exist.`);
  walked.done = dirname(walked.done);
}

interface Way {
  readonly place: Pick<Place, "cwd" | "roots" | "readable">;
  /** The names behind this one, the next one last. */
  readonly rest: readonly string[];
}

/** The names that a link puts in place of its own, the next one last. */
function goDown(walked: Walked, path: string, { place, rest }: Way): string[] {
  const found = lookAt(path);
  if (found.type !== "link") {
    if (found.type === "file" && rest.length > 0)
      throw new PathError(`${printable(path)} is no folder: a part of the path is a file, not a folder.`);
    walked.done = path;
    walked.isThere = found.type !== "nothing";
    return [];
  }
  walked.links += 1;
  if (rest.every(staysThere)) walked.endsInLink = true;
  walked.link ??= rootOf(walked.done, place) === undefined ? undefined : path;
  if (isAbsolute(found.target)) walked.done = parse(found.target).root;
  return found.target.split(sep).reverse();
}

const staysThere = (name: string): boolean => name === "" || name === ".";

function described({ done: real, link, endsInLink }: Walked, place: Way["place"]): Resolved {
  if (link === undefined) return { real, endsInLink };
  const from = rootOf(link, place);
  const stays = from !== undefined && isInside(from, real);
  return { real, link, endsInLink, ...(!stays && from !== undefined && { left: from }) };
}

/** The folder that a resolved path may be worked with in, without a question for where it is. */
function rootOf(real: string, place: Pick<Place, "cwd" | "roots" | "readable">): string | undefined {
  const folders = [place.cwd, ...(place.roots ?? []).map(({ path }) => path), ...(place.readable ?? [])];
  // The innermost counts: what is listed by itself is a root of its own.
  return folders.filter((folder) => isInside(folder, real)).toSorted((a, b) => b.length - a.length)[0];
}

type Found =
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder" }
  | { readonly type: "file" }
  | { readonly type: "nothing" };

/** What may not be looked at counts as a folder: whoever opens it is told. */
function lookAt(path: string): Found {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { type: "nothing" };
    if (stats.isSymbolicLink())
      return isMagicLink(path) ? { type: "folder" } : { type: "link", target: readlinkSync(path) };
    return { type: stats.isDirectory() ? "folder" : "file" };
  } catch {
    return { type: "folder" };
  }
}

const folded = (path: string): string => (FOLDS_CASE ? path.normalize("NFC").toLowerCase() : path);

/** By whole names, so `/work-secret` is not inside `/work`. */
export function isInside(folder: string, path: string): boolean {
  const [outer, inner] = [folded(folder), folded(path)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Why no tool works with this resolved path in any mode, whoever would agree; undefined when one may be asked. */
export function whyDeny(real: string, place: Place, mode: Mode): string | undefined {
  const isOurs = place.guarded.some((path) => isInside(path, real));
  const isLentOut = mode === "reads" && place.readable?.some((folder) => isInside(folder, real)) === true;
  if (isOurs && !isLentOut)
    return `${printable(real)} belongs to this program itself, and is out of reach of its tools.`;
  return isOwnProcess(real)
    ? `${printable(real)} shows the inside of this program, and is out of reach of its tools.`
    : undefined;
}

/** Why a person must agree before this resolved path is read, or undefined. */
export const whyAskToRead = (real: string, place: Place): string | undefined =>
  whyDeny(real, place, "reads") ?? whyOutside(real, place, "reads") ?? whyPrivate(real, place);

/** Why a path is private even where paths may be read, or undefined: by its name, or as the program's own. */
export function whyPrivate(real: string, place: Place): string | undefined {
  const gives = whatItGivesAway(real, place.home);
  return whyDeny(real, place, "reads") ?? (gives === undefined ? undefined : `${printable(real)} ${gives}.`);
}

/** Why a person must agree before this resolved path is written, or undefined. */
export function whyAskToWrite(real: string, place: Place): string | undefined {
  const why = whyDeny(real, place, "writes") ?? whyOutside(real, place, "writes") ?? whyPrivate(real, place);
  if (why !== undefined || !steersPrograms(relative(rootOf(real, place) ?? place.cwd, real))) return why;
  return `${printable(real)} changes what other programs run or are told.`;
}

function whyOutside(real: string, place: Place, mode: Mode): string | undefined {
  const root = rootOf(real, mode === "reads" ? place : { ...place, readable: [] });
  const listed = place.roots?.find(({ path }) => path === root);
  if (root === undefined) return `${printable(real)} is outside the working folder ${printable(place.cwd)}.`;
  if (mode === "writes" && listed?.access === "read")
    return `${printable(real)} is in ${printable(root)}, which is listed to be read alone.`;
  return isMountedBelow(root, real)
    ? `${printable(real)} is on another disk, mounted in ${printable(root)}.`
    : undefined;
}

/** By folders: where several layers make one disk, their files tell of the layer. */
function isMountedBelow(root: string, real: string): boolean {
  const own = deviceOf(root);
  for (let at = real; at !== root && isInside(root, at); at = dirname(at)) {
    const device = deviceOf(at);
    if (device !== undefined) return own !== undefined && device !== own;
  }
  return false;
}

/** Undefined for what is no folder. */
function deviceOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? stats.dev : undefined;
  } catch {
    return undefined;
  }
}

/** The first of some paths, as a model wrote them, that lies in no folder that may be worked in; of what is not there, by its text. */
export function firstOutside(given: readonly unknown[], place: Place, cwd: string = place.cwd): string | undefined {
  const from = { cwd, home: place.home };
  for (const path of given) {
    if (typeof path !== "string" || whyNoPath(path) !== undefined) continue;
    const real = tryCanonical(path, from) ?? resolve(absolutePath(path, from));
    if (rootOf(real, place) === undefined) return real;
  }
  return undefined;
}

/**
 * The same for a path as a model wrote it. What names nothing and what no tool works with needs no question: the tool
 * itself will say so.
 */
export function askAbout(given: unknown, place: Place, judge: typeof whyAskToRead): string | undefined {
  try {
    if (typeof given !== "string") return undefined;
    const mode = judge === whyAskToWrite ? "writes" : "reads";
    return judge(workedWith(given, place, mode), place);
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/**
 * Where a path leads that may be worked with now, to be opened as it stands: nothing on the way is a link any more.
 * Throws PathError for what is out of reach, for a link that leads out of its folder or is to be written through, and for
 * what needs a yes that was not given, since what the path leads to may have changed after it was looked at.
 */
export function permittedPath(given: string, place: Place, { mode, approved }: Permission): string {
  const real = workedWith(given, place, mode);
  const why = mode === "reads" ? whyAskToRead(real, place) : whyAskToWrite(real, place);
  if (why === undefined || approved?.includes(why) === true) return real;
  throw new PathError(`${why} Nobody has agreed to that, so nothing was done.`);
}

export interface Permission {
  readonly mode: Mode;
  /** The question that was answered with yes (`ToolContext.approved`). */
  readonly approved?: string | undefined;
}

/** What it leads to, where the way there may be gone. Throws PathError. */
function workedWith(given: string, place: Place, mode: Mode): string {
  const { real, link, left, endsInLink } = resolvePath(given, place);
  const shown = printable(real);
  const denied = whyDeny(real, place, mode);
  if (denied !== undefined) throw new PathError(denied);
  if (left !== undefined)
    throw new PathError(
      `${printable(given)} leads through a link to ${shown}, outside the working folder; nothing was ${mode === "reads" ? "read: name that path itself" : "written"}.`,
    );
  if (mode === "writes" && (link !== undefined || endsInLink))
    throw new PathError(
      `${printable(given)} leads through a link, and nothing is written through one: name ${shown} itself.`,
    );
  return real;
}

export function claimPath(given: unknown, place: Place, mode: "reads" | "writes"): Claim {
  const real = claimed(given, place);
  if (real === undefined) return { mode: "exclusive" };
  const path = folded(real);
  return { mode: "paths", reads: mode === "reads" ? [path] : [], writes: mode === "writes" ? [path] : [] };
}

/** What names nothing is claimed by its text, since no tool will touch anything by it. */
function claimed(given: unknown, place: Place): string | undefined {
  try {
    return typeof given === "string" ? canonicalPath(given, place) : undefined;
  } catch (error) {
    if (error instanceof NothingThere) return resolve(absolutePath(String(given), place));
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

function tryCanonical(given: unknown, place: Pick<Place, "cwd" | "home">): string | undefined {
  try {
    return typeof given === "string" ? canonicalPath(given, place) : undefined;
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/** Relative to the working folder where that is shorter to read. */
export function shownPath(real: string, place: Pick<Place, "cwd">): string {
  if (!isInside(place.cwd, real)) return printable(real);
  return printable(relative(place.cwd, real) || ".");
}

/** A name may hold line breaks and escapes; shown, it is one line of plain text. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
