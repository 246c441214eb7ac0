import { constants, type Stats } from "node:fs";
import { mkdir, open, readlink, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { PathError } from "../paths.ts";
import { reasonOf } from "../../protocol/reason-of.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY, O_DIRECTORY } = constants;

/**
 * Opens a regular file at a resolved path without ever blocking and without following a link that was put there since
 * it was resolved. Throws PathError for everything that is not a regular file. The caller closes the handle.
 */
export async function openRegularFile(real: string, shown: string): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await openOrExplain(real, shown);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new PathError(whatItIs(stats, shown));
    await checkStillThere(file, real, shown);
    return { file, stats };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openOrExplain(real: string, shown: string): Promise<FileHandle> {
  try {
    return await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
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
    return await openFolder(real, { real, shown });
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || real === dirname(real)) throw error;
  }
  await using above = await openOrMakeFolder(dirname(real), shown);
  const path = insideOf(above, real);
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return await openFolder(path, { real, shown });
}

/** The path of a file by the handle of its folder, where the system has such paths. */
export const insideOf = (folder: FileHandle, real: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${basename(real)}` : real;

async function openFolder(path: string, at: { readonly real: string; readonly shown: string }): Promise<FileHandle> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await checkStillThere(folder, at.real, at.shown);
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Linux alone can tell where an open file is; elsewhere a folder exchanged in that very moment goes unseen. */
async function checkStillThere(file: FileHandle, real: string, shown: string): Promise<void> {
  if (process.platform !== "linux") return;
  const where = await readlink(`/proc/self/fd/${file.fd}`);
  if (where !== real) throw new PathError(`${shown} was moved or exchanged while it was opened: try again.`);
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
