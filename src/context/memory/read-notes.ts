import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NoteFile } from "../../protocol/memory.ts";
import type { Unread } from "../../protocol/prompt.ts";
import { readText } from "../prompt/read-text.ts";
import { notesIn } from "../../protocol/note-text.ts";

export const FILE_NAMES: Readonly<Record<NoteFile, string>> = { memory: "MEMORY.md", user: "USER.md" };

/** What a file holds as it lies there; a file that is not there holds nothing. */
export type NotesFound =
  | { readonly type: "notes"; readonly text: string; readonly notes: readonly string[] }
  | { readonly type: "unread"; readonly because: Unread };

/** A list of notes is nowhere near as large; what is, is something else. Bytes. */
const MOST_BYTES = 65_536;

/** Reads few bytes, changes nothing and never throws, whatever lies there. */
export function readNotes(folder: string, file: NoteFile): NotesFound {
  const path = join(folder, FILE_NAMES[file]);
  if (leadsOut(path)) return { type: "unread", because: "leads-out" };
  const read = readText(path);
  if (read.type === "absent") return { type: "notes", text: "", notes: [] };
  if (read.type === "unread") return read;
  if (read.bytes > MOST_BYTES) return { type: "unread", because: "too-large" };
  return { type: "notes", text: read.head, notes: notesIn(read.head) };
}

/** When a file was changed last, ms since the epoch; undefined: it is not there. */
export const changedAtMs = (folder: string, file: NoteFile): number | undefined => {
  const found = statSync(join(folder, FILE_NAMES[file]), { throwIfNoEntry: false });
  return found && Math.floor(found.mtimeMs);
};

/** What lies elsewhere is no note: a link may lead to a key. The folder as a whole may lie wherever its owner likes. */
function leadsOut(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && dirname(realpathSync(path)) !== realpathSync(dirname(path));
  } catch {
    return false;
  }
}
