import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { heldFolder, whereItIs } from "../path-guard/held-folder.ts";
import { isProtectedFile } from "../path-guard/protected-files.ts";
import { PathError, type Place } from "../paths.ts";
import { reasonOf } from "../../protocol/reason-of.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY, O_DIRECTORY } = constants;
/** macOS alone: no symlink in any part of the path. Elsewhere the folder is held. */
const O_NOFOLLOW_ANY = process.platform === "darwin" ? 0x2000_0000 : 0;

/**
 * Opens a regular file at a resolved path without ever blocking and without following a link, wherever on the way one was
 * put since it was resolved. Throws PathError for everything that is not a regular file, and with a `place` also for
 * another name (a hard link) of a file that is out of reach there. The caller closes the handle.
 */
export async function openRegularFile(
  real: string,
  shown: string,
  place?: Pick<Place, "guarded" | "home">,
): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await openOrExplain(real, shown);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new PathError(whatItIs(stats, shown));
    checkStillThere(file, real, shown);
    if (place !== undefined && stats.nlink > 1 && isProtectedFile(stats, place))
      throw new PathError(`${shown} is another name of a file that is out of reach.`);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openOrExplain(real: string, shown: string): Promise<FileHandle> {
  try {
    using folder = heldFolder(dirname(real));
    const path = folder.pathOf(basename(real));
    return await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_NOFOLLOW_ANY);
  } catch (error) {
    throw new PathError(explain(error, shown), { cause: error });
  }
}

/**
 * Opens a folder, making it and those above it where they are missing, to work in it by handle, so that it cannot be
 * exchanged for a link on the way. The caller closes the handle.
 */
export async function openOrMakeFolder(real: string, shown: string): Promise<FileHandle> {
  try {
    return await openFolder(real, shown);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || real === dirname(real)) throw error;
  }
  await using above = await openOrMakeFolder(dirname(real), shown);
  try {
    await mkdir(insideOf(above, real));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return await openFolder(real, shown);
}

/** The path of a file by the handle of its folder, where the system has such paths. */
export const insideOf = (folder: FileHandle, real: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${basename(real)}` : real;

/**
 * What stands under a name in a held folder and may be replaced, undefined for nothing. Throws PathError for a link, for
 * what is no file, and for a file with other names (hard links): only one of them would be replaced.
 */
export async function replaceable(folder: FileHandle, real: string, shown: string): Promise<Stats | undefined> {
  let stats: Stats;
  try {
    stats = await lstat(insideOf(folder, real));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  if (stats.isSymbolicLink())
    throw new PathError(`${shown} was exchanged for a link, and nothing is written through one.`);
  if (!stats.isFile()) throw new PathError(whatItIs(stats, shown));
  if (stats.nlink > 1)
    throw new PathError(
      `${shown} has ${stats.nlink} names (hard links), and what is written would part them: nothing was changed. Copy it to a name of its own first.`,
    );
  return stats;
}

async function openFolder(real: string, shown: string): Promise<FileHandle> {
  using held = heldFolder(real);
  const folder = await open(held.pathOf("."), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOFOLLOW_ANY);
  try {
    checkStillThere(folder, real, shown);
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

function checkStillThere(file: FileHandle, real: string, shown: string): void {
  if (whereItIs(file.fd, real)) return;
  throw new PathError(`${shown} was moved or exchanged while it was opened: try again.`);
}

export function whatItIs(stats: Stats, shown: string): string {
  if (stats.isDirectory()) return `${shown} is a folder: list it with search_files.`;
  if (stats.isFIFO()) return `${shown} is a named pipe, not a file, and was left alone.`;
  if (stats.isSocket()) return `${shown} is a socket, not a file, and was left alone.`;
  return `${shown} is a device, not a file, and was left alone.`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist: a part of the path is a file, not a folder",
  EEXIST: "cannot be made: a part of the path is a file, not a folder",
  EACCES: "may not be accessed by this user",
  EPERM: "may not be accessed by this user",
  ELOOP: "is a loop of symbolic links",
  ENXIO: "is a socket or a device, not a file, and was left alone",
  ENAMETOOLONG: "has a name that is too long for this file system",
  EISDIR: "is a folder",
  ENOSPC: "could not be written: the disk is full",
  EDQUOT: "could not be written: the disk quota is used up",
  EROFS: "could not be written: the file system is read-only",
  EMFILE: "could not be opened: this process has too many open files",
};

/** One sentence for what the operating system said about a path. */
export function explain(error: unknown, shown: string): string {
  const code = codeOf(error);
  const known = code === undefined ? undefined : SENTENCES[code];
  if (known !== undefined) return `${shown} ${known}.`;
  return `${shown} could not be used: ${code ?? reasonOf(error)}.`;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
