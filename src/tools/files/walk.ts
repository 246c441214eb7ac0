import { plural } from "../../protocol/plural.ts";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

export interface Entry {
  /** Relative to where the walk began, with `/`. */
  readonly path: string;
  readonly type: "file" | "folder" | "link" | "other";
}

export interface FileSize {
  /** Bytes. */
  readonly size: number;
  readonly modifiedMs: number;
}

/** Folders of tools, not of the user: never entered. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** What a walk left out. */
export interface Walked {
  entries: number;
  unreadable: number;
  /** Names of folders that are never entered. */
  readonly skipped: Set<string>;
  /** The limit was reached, so there is more. */
  cut: boolean;
}

export const newWalk = (): Walked => ({ entries: 0, unreadable: 0, skipped: new Set(), cut: false });

/** Notes on the folders that were not looked into. */
export function leftOut({ skipped, unreadable }: Walked): string[] {
  const notes = [];
  if (skipped.size > 0) notes.push(`(not looked into: ${[...skipped].sort().join(" and ")})`);
  if (unreadable > 0) notes.push(`(${plural(unreadable, "folder")} could not be read)`);
  return notes;
}

/**
 * Every entry below a folder, sorted by name within each folder, folders before what is in them. Links are named and
 * never followed, so no loop can hold it. Folders that cannot be read are counted, not entered.
 */
export async function* walk(
  root: string,
  maxEntries: number,
  walked: Walked,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const pending = [""];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    signal.throwIfAborted();
    const entries = await entriesOf(join(root, folder), maxEntries - walked.entries);
    if (entries === undefined) {
      walked.unreadable += 1;
      continue;
    }
    const below: string[] = [];
    for (const { name, type } of entries) {
      if (walked.entries === maxEntries) {
        walked.cut = true;
        return;
      }
      walked.entries += 1;
      const path = folder === "" ? name : `${folder}/${name}`;
      yield { path, type };
      if (type !== "folder") continue;
      if (SKIPPED_FOLDERS.has(name)) walked.skipped.add(name);
      else below.push(path);
    }
    pending.push(...below.reverse());
  }
}

type Named = Pick<Entry, "type"> & { readonly name: string };

/** At most one more than `limit`, so that a folder with millions of names is never held whole. */
async function entriesOf(folder: string, limit: number): Promise<Named[] | undefined> {
  const entries: Named[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      entries.push({ name: entry.name, type: typeOf(entry) });
      if (entries.length > limit) break;
    }
  } catch {
    return undefined;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function typeOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): Entry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Undefined when it is gone. */
export async function sizeOf(path: string): Promise<FileSize | undefined> {
  try {
    const { size, mtimeMs } = await lstat(path);
    return { size, modifiedMs: mtimeMs };
  } catch {
    return undefined;
  }
}
