import { join } from "node:path";
import type { Author, Note, NoteAnswer, NoteFile, Written } from "../../protocol/memory.ts";
import { readText } from "../prompt/read-text.ts";
import type { Changed } from "./change-notes.ts";
import { type Disk, nextOf } from "../disk.ts";
import { type Journal, type Line, openJournal, sha256 } from "./journal.ts";
import { keptName } from "./kept-name.ts";
import { notesIn, textOf } from "../../protocol/note-text.ts";
import { changedAtMs, FILE_NAMES, type NotesFound, readNotes } from "./read-notes.ts";
import { failedWrite, unreadFile } from "./sentences.ts";

/** What becomes of a file, and by whom. */
export interface Wanted {
  readonly file: NoteFile;
  readonly author: Author;
  /** From the notes that are there. */
  readonly change: (notes: readonly string[]) => Changed;
  /** Of notes that were there once: who wrote them. */
  readonly known?: Line;
  /** What is no list of notes is kept beside the file and given up, instead of refused. */
  readonly givesUp?: boolean;
}

export interface Writer {
  readonly folder: string;
  readonly now: () => number;
  readonly disk: Disk;
}

/** Somebody may be typing into the file. */
const TRIES = 5;

/**
 * Makes a change, while nobody else does. The new file is drafted, its version put into the journal, and the draft put in
 * its place: a draft that lies there with its version in the journal is one whose writer died in between.
 */
export function writeNotes(wanted: Wanted, writer: Writer): NoteAnswer {
  const path = join(writer.folder, FILE_NAMES[wanted.file]);
  for (let left = TRIES; left > 0; left--) {
    const answer = tryOnce(path, wanted, writer);
    if (answer !== "meanwhile") return answer;
  }
  return {
    type: "refused",
    why: "unreadable",
    sentence: failedWrite(path, "somebody else is writing there just now."),
  };
}

/** `meanwhile`: whoever has just saved the file in an editor must not lose that, and nothing was changed. */
function tryOnce(path: string, wanted: Wanted, writer: Writer): NoteAnswer | "meanwhile" {
  const { folder, disk } = writer;
  const { file } = wanted;
  const journal = openJournal(folder, disk);
  heal(path, journal.last(file), { ...writer, file });
  const found = readNotes(folder, file);
  const changed = decide(folder, found, wanted);
  if (changed.type !== "done") return changed;
  const { byHand, own } = linesFor(wanted, { journal, found, after: changed.notes }, writer);
  const draft = nextOf(path);
  disk.draft(draft, own.text);
  const undo = journal.append([...byHand, own], disk);
  try {
    if (isAsFound(readNotes(folder, file), found)) {
      if (found.type === "unread") disk.keepAs(path, keptName(path));
      disk.place(draft, path);
      return { type: "done", notes: notesFrom(changed.notes, own) };
    }
  } catch (error) {
    undo();
    disk.drop(draft);
    throw error;
  }
  undo();
  disk.drop(draft);
  return "meanwhile";
}

/** Puts what a writer left over into its place, when its version is in the journal; else it was never decided. */
function heal(path: string, last: Line | undefined, { folder, disk, file }: Writer & Pick<Wanted, "file">): void {
  const draft = nextOf(path);
  const read = readText(draft);
  if (read.type === "absent") return;
  const isDecided = read.type === "text" && read.tail === undefined && read.head === last?.text;
  if (isDecided && sumOf(readNotes(folder, file)) === last.before) disk.place(draft, path);
  else disk.drop(draft);
}

/** Empty: there is no text. */
const sumOf = (found: NotesFound): string => (found.type === "notes" ? sha256(found.text) : "");

const isAsFound = (again: NotesFound, found: NotesFound): boolean =>
  again.type === "notes" ? found.type === "notes" && again.text === found.text : found.type === "unread";

/** What becomes of what was found in the folder. */
export function decide(folder: string, found: NotesFound, { file, change, givesUp = false }: Wanted): Changed {
  if (found.type === "notes") return change(found.notes);
  if (!givesUp) {
    const sentence = unreadFile(join(folder, FILE_NAMES[file]), found.because);
    return { type: "refused", why: "unreadable", sentence };
  }
  const changed = change([]);
  return changed.type === "unchanged" ? { type: "done", notes: [] } : changed;
}

interface Made {
  readonly journal: Journal;
  readonly found: NotesFound;
  readonly after: readonly string[];
}

/** What the journal is told: what somebody has done by hand since, and what is done now. */
function linesFor(
  { file, author, known }: Wanted,
  { journal, found, after }: Made,
  { folder, now }: Writer,
): { readonly byHand: readonly Line[]; readonly own: Line } {
  const last = journal.last(file);
  const byHand = found.type === "notes" ? byHandSince(last, { journal, found, file, folder, now }) : undefined;
  const written = { ...author, atMs: now() };
  const from = new Map([...fromOf(byHand ?? last), ...fromOf(known)]);
  const own = {
    version: (byHand?.version ?? journal.next - 1) + 1,
    file,
    text: textOf(after),
    before: sumOf(found),
    written,
    from: after.map((note) => from.get(note) ?? written),
  };
  return { byHand: byHand === undefined ? [] : [byHand], own };
}

interface ByHand extends Pick<Writer, "folder" | "now">, Pick<Wanted, "file"> {
  readonly journal: Journal;
  readonly found: Extract<NotesFound, { type: "notes" }>;
}

/** Undefined: the file is as it was left. */
function byHandSince(last: Line | undefined, { journal, found, file, folder, now }: ByHand): Line | undefined {
  const text = last?.text ?? "";
  if (found.text === text) return undefined;
  const written = { by: "person", atMs: changedAtMs(folder, file) ?? now() } as const;
  const from = fromOf(last);
  return {
    version: journal.next,
    file,
    text: found.text,
    before: sha256(text),
    written,
    from: found.notes.map((note) => from.get(note) ?? written),
  };
}

/** Each note with what a line says of it. */
export function notesFrom(notes: readonly string[], line: Line | undefined): Note[] {
  const from = fromOf(line);
  return notes.map((text) => {
    const written = from.get(text);
    return { text, ...(written !== undefined && { written }) };
  });
}

function fromOf(line: Line | undefined): ReadonlyMap<string, Written> {
  const { text = "", from = [] } = line ?? {};
  return new Map(notesIn(text).flatMap((note, at) => (from[at] === undefined ? [] : [[note, from[at]] as const])));
}
