import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import type { InstallRefusal } from "../../../protocol/skill-install.ts";
import { entriesTrouble, isHidden, namesOf } from "./entries.ts";
import { type FilesRead, saidBy } from "./read-folder.ts";
import { ArchiveError, MAX_UNPACKED, type Packed, tarEntries, unpacked } from "./tar.ts";

/** The files of a `.tar` or `.tar.gz`. It is unpacked in memory and refused as a whole before anything is written. */
export function readArchive(path: string): FilesRead {
  try {
    const entries = entriesIn(read(path));
    return Array.isArray(entries) ? { type: "files", files: filesOf(entries) } : { type: "refused", ...entries };
  } catch (error) {
    if (error instanceof ArchiveError) return { type: "refused", why: "archive", path, said: error.message };
    return { type: "refused", why: "unreadable", path, said: saidBy(error) };
  }
}

/** Every entry, or why not one of them is taken. Throws ArchiveError. */
export function entriesIn(archive: Buffer): Packed[] | Extract<InstallRefusal, { why: string }> {
  const tar = unpacked(archive);
  return entriesTrouble(tarEntries(tar)) ?? [...tarEntries(tar)];
}

function read(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    if (fstatSync(file).size > MAX_UNPACKED) throw new ArchiveError(`it is larger than ${MAX_UNPACKED} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Archives often hold one folder with everything in it. */
function filesOf(entries: readonly Packed[]): Packed[] {
  const files = entries.filter(({ kind, path }) => kind === "file" && !isHidden(path));
  const named = files.map((file) => ({ ...file, path: namesOf(file.path).join("/") }));
  const [first = ""] = named[0]?.path.split("/") ?? [];
  const isWrapped = named.length > 0 && named.every(({ path }) => path.startsWith(`${first}/`));
  return isWrapped ? named.map((file) => ({ ...file, path: file.path.slice(first.length + 1) })) : named;
}
