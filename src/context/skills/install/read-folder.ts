import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { InstallRefusal } from "../../../protocol/skill-install.ts";
import { type Entry, entriesTrouble, isHidden } from "./entries.ts";

/** A file of a skill, read whole. */
export interface SkillFile {
  /** From the folder of the skill, with slashes. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

export type FilesRead =
  | { readonly type: "files"; readonly files: readonly SkillFile[] }
  | ({ readonly type: "refused" } & InstallRefusal);

/** All files below a folder but hidden ones, none of them through a link. Nothing is read before every name has been looked at. */
export function readFolder(folder: string): FilesRead {
  let at = folder;
  try {
    const entries: Found[] = [];
    const trouble = entriesTrouble(
      noted(
        walk(folder, (path) => (at = path)),
        entries,
      ),
    );
    if (trouble !== undefined) return { type: "refused", ...trouble };
    const files = entries.filter(({ kind }) => kind === "file");
    return { type: "files", files: files.map((file) => readOne((at = join(folder, file.path)), file)) };
  } catch (error) {
    return { type: "refused", why: "unreadable", path: at, said: saidBy(error) };
  }
}

export const saidBy = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));

/** As it was when it was looked at. */
interface Found extends Entry {
  readonly inode: number;
}

/** What is judged is what is read: a folder is looked through once. */
function* noted(entries: Iterable<Found>, all: Found[]): Generator<Found> {
  for (const entry of entries) {
    all.push(entry);
    yield entry;
  }
}

/** Folders before what they hold, in the order of names. Throws what the system says. */
function* walk(folder: string, enters: (path: string) => void, above = ""): Generator<Found> {
  enters(join(folder, above));
  const entries = readdirSync(join(folder, above), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isHidden(entry.name)) continue;
    const path = above === "" ? entry.name : `${above}/${entry.name}`;
    const kind = kindOf(entry);
    const { size, ino } = lstatSync(join(folder, path));
    yield { path, kind, bytes: kind === "file" ? size : 0, inode: ino };
    // Whoever takes the entries stops at the first that cannot be taken, such as a tree without end.
    if (kind === "folder") yield* walk(folder, enters, path);
  }
}

const kindOf = (entry: Dirent): Entry["kind"] => (entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other");

/** What was a file a moment ago may be a link, a pipe or another file by now: what was opened is asked. */
function readOne(path: string, { path: name, bytes, inode }: Found): SkillFile {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.ino !== inode || stat.size !== bytes) throw new Error("it changed while it was read");
    return { path: name, content: contentOf(file, stat.size), executable: (stat.mode & 0o100) !== 0 };
  } finally {
    closeSync(file);
  }
}

/** No further than it was long when it was opened. */
function contentOf(file: number, size: number): Buffer {
  const content = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const more = readSync(file, content, read, size - read, read);
    if (more === 0) break;
    read += more;
  }
  return content.subarray(0, read);
}
