import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import type { Claim } from "../protocol/tool.ts";

/** Where the tools of one session work. All paths are absolute and resolved through symlinks. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
  /** Folders and files that are always asked about, such as the program's own state. */
  readonly guarded: readonly string[];
  /** Folders outside of the working folder that may be read, such as that of the skills. */
  readonly readable?: readonly string[];
}

/** A path that names nothing a tool could touch. The message is one sentence for the model. */
export class PathError extends Error {
  override readonly name = "PathError";
}

/** Bytes; PATH_MAX of Linux (security §3.4). */
const MAX_PATH_BYTES = 4_096;
/** As many as Linux follows before it says ELOOP. */
const MAX_LINKS = 40;

const FOLDS_CASE = process.platform === "darwin" || process.platform === "win32";

/**
 * The one absolute name of what a path leads to (row E4): `~` and relative paths expanded, every symlink on the way
 * followed as far as it exists, a dangling link to where it points, `..` after a link from where the link leads, as
 * the system does it. Throws PathError.
 */
export function canonicalPath(given: string, place: Pick<Place, "cwd" | "home">): string {
  const absolute = absolutePath(given, place);
  try {
    return realpathSync.native(absolute);
  } catch {
    return followLinks(absolute, given);
  }
}

function absolutePath(given: string, place: Pick<Place, "cwd" | "home">): string {
  if (given === "") throw new PathError("The path is empty: name a file or a folder.");
  if (given.includes("\0")) throw new PathError("The path contains a NUL character, which no file name can have.");
  if (Buffer.byteLength(given) > MAX_PATH_BYTES)
    throw new PathError(`The path is longer than ${MAX_PATH_BYTES} bytes.`);
  if (given === "~" || given.startsWith(`~${sep}`)) return place.home + given.slice(1);
  // Not joined: that would take `..` from the text.
  return isAbsolute(given) ? given : place.cwd + sep + given;
}

/** What realpath does, but past the end of what exists. */
function followLinks(absolute: string, given: string): string {
  const root = parse(absolute).root;
  const pending = absolute.slice(root.length).split(sep).reverse();
  let done = root;
  let links = 0;
  while (pending.length > 0) {
    const name = pending.pop() ?? "";
    if (name === "" || name === ".") continue;
    if (name === "..") {
      done = dirname(done);
      continue;
    }
    const target = linkTarget(join(done, name));
    if (target === undefined) {
      done = join(done, name);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new PathError(`${printable(given)} is a loop of symbolic links.`);
    if (isAbsolute(target)) done = parse(target).root;
    pending.push(...target.split(sep).reverse());
  }
  return done;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const folded = (path: string): string => (FOLDS_CASE ? path.normalize("NFC").toLowerCase() : path);

/** By whole names, so `/work-secret` is not inside `/work`. */
export function isInside(folder: string, path: string): boolean {
  const [outer, inner] = [folded(folder), folded(path)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Why a person must agree before this resolved path is read, or undefined. */
export function whyAskToRead(real: string, place: Place): string | undefined {
  const shown = printable(real);
  if (place.readable?.some((folder) => isInside(folder, real)) === true)
    return holdsSecrets(real, place) ? `${shown} usually holds secrets.` : undefined;
  if (!isInside(place.cwd, real)) return `${shown} is outside the working folder ${printable(place.cwd)}.`;
  return whyPrivate(real, place);
}

/** Why a path is private even inside the working folder, or undefined: secrets by their names, the program's own state. */
export function whyPrivate(real: string, place: Place): string | undefined {
  const shown = printable(real);
  if (place.guarded.some((path) => isInside(path, real))) return `${shown} belongs to this program itself.`;
  return holdsSecrets(real, place) ? `${shown} usually holds secrets.` : undefined;
}

/** Why a person must agree before this resolved path is written, or undefined. */
export function whyAskToWrite(real: string, place: Place): string | undefined {
  const why = whyAskToRead(real, { ...place, readable: [] });
  if (why !== undefined || !steersPrograms(real, place)) return why;
  return `${printable(real)} changes what other programs run or are told.`;
}

/** The same for a path as a model wrote it; what names nothing needs no question, the tool itself will say so. */
export function askAbout(given: unknown, place: Place, judge: typeof whyAskToRead): string | undefined {
  const real = tryCanonical(given, place);
  return real === undefined ? undefined : judge(real, place);
}

export function claimPath(given: unknown, place: Place, mode: "reads" | "writes"): Claim {
  const real = tryCanonical(given, place);
  if (real === undefined) return { mode: "exclusive" };
  const path = folded(real);
  return { mode: "paths", reads: mode === "reads" ? [path] : [], writes: mode === "writes" ? [path] : [] };
}

function tryCanonical(given: unknown, place: Place): string | undefined {
  try {
    return typeof given === "string" ? canonicalPath(given, place) : undefined;
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/** The text of a path stays in the folder while its links lead out of it: never followed for a write. */
export const leavesThroughLink = (given: string, real: string, place: Place): boolean =>
  isInside(place.cwd, resolve(absolutePath(given, place))) && !isInside(place.cwd, real);

/** Relative to the working folder where that is shorter to read. */
export function shownPath(real: string, place: Pick<Place, "cwd">): string {
  if (!isInside(place.cwd, real)) return printable(real);
  return printable(relative(place.cwd, real) || ".");
}

/** A name may hold line breaks and escapes; shown, it is one line of plain text. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);

// The two lists are those of security §3.4 and §3.3.
const SECRET_FOLDERS =
  /(?:^|\/)(?:\.ssh|\.aws|\.azure|\.kube|\.gnupg|\.password-store|\.config\/(?:gcloud|gh|op))(?:\/|$)/;
const SECRET_FILES = new RegExp(
  String.raw`(?:^|/)(?:\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.docker/config\.json|\.cargo/credentials[^/]*` +
    String.raw`|\.env[^/]*|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[^/]*\.(?:pem|key|p12|pfx|kdbx)` +
    String.raw`|[^/]*credentials[^/]*\.json|service-account[^/]*\.json)$`,
);
const NO_SECRET = /(?:^|\/)(?:\.env\.(?:example|sample|template)|[^/]*\.pub)$/;
const OTHER_AGENTS = /^\.(?:claude|codex|gemini|hermes|openclaw|nanobot)(?:\/|$)/;
const STEERING = new RegExp(
  String.raw`(?:^|/)(?:\.git|\.vscode|\.idea|\.cursor|\.agents|\.evander)(?:/|$)` +
    String.raw`|(?:^|/)(?:agents|claude|gemini|\.?evander)\.md$|(?:^|/)\.(?:mcp\.json|cursorrules|gitmodules|gitattributes)$` +
    String.raw`|(?:^|/)\.(?:bashrc|bash_profile|profile|zshrc|zshenv|zprofile)$`,
);

/** Names are compared folded everywhere: a disk that folds case may be mounted anywhere. */
const comparable = (path: string): string => path.normalize("NFKC").toLowerCase().replaceAll("\\", "/");

function holdsSecrets(real: string, place: Pick<Place, "home">): boolean {
  const path = comparable(real);
  if (isInside(place.home, real) && OTHER_AGENTS.test(comparable(relative(place.home, real)))) return true;
  return SECRET_FOLDERS.test(path) || (SECRET_FILES.test(path) && !NO_SECRET.test(path));
}

const steersPrograms = (real: string, place: Place): boolean => STEERING.test(comparable(relative(place.cwd, real)));
