import { join } from "node:path";
import {
  type Author,
  NOTE_LIMITS,
  type NoteAnswer,
  type NoteBook,
  type NoteChange,
  type NoteFile,
  type NotesRead,
  noteCharacters,
} from "../../protocol/memory.ts";
import type { Sentence } from "../../protocol/sentence.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { type Changed, changeNotes, type NoteRules, rewriteNotes } from "./change-notes.ts";
import { createDisk, FILE_OPERATIONS, type FileOperations } from "../disk.ts";
import { type Journal, type Line, readJournal, versionOf } from "./journal.ts";
import { notesIn } from "../../protocol/note-text.ts";
import { propose, readProposals, settle } from "./proposals.ts";
import { FILE_NAMES, readNotes } from "./read-notes.ts";
import {
  blockedNote,
  damagedProposals,
  failedWrite,
  lostJournal,
  overfull,
  secretNote,
  unreadFile,
} from "./sentences.ts";
import { toldNotes } from "./told-notes.ts";
import { notesFrom, type Wanted, writeNotes, type Writer } from "./write-notes.ts";

export interface NotesAround {
  /** Where `MEMORY.md` and `USER.md` lie; made when something is written. */
  readonly folder: string;
  /** ms since the epoch */
  readonly now: () => number;
  /** Does the work while nobody else does who names this path, here or in another process. */
  readonly alone: <T>(path: string, work: () => T) => Promise<T>;
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
  readonly files?: FileOperations;
}

type Refused = Extract<NoteAnswer, { type: "refused" }>;

/**
 * The notes of a folder. The files are the truth; the journal beside them says who wrote what, and is never believed
 * against them (ADR 0042).
 */
export function openNoteBook({ folder, now, alone, clean, files = FILE_OPERATIONS }: NotesAround): NoteBook {
  const writer: Writer = { folder, now, disk: createDisk(files) };
  const within = async <T>(path: string, work: () => T): Promise<T | Refused> => {
    try {
      writer.disk.makeFolder(folder);
      return await alone(join(folder, "notes.lock"), work);
    } catch (error) {
      return { type: "refused", why: "unreadable", sentence: failedWrite(path, reasonOf(error)) };
    }
  };
  const write = (wanted: Wanted): Promise<NoteAnswer> =>
    within(join(folder, FILE_NAMES[wanted.file]), () => writeNotes(wanted, writer));
  const rulesOf = (file: NoteFile): NoteRules => ({ limit: NOTE_LIMITS[file], clean });
  const wantedBy = (change: NoteChange, author: Author, rules?: Pick<NoteRules, "whole">): Wanted => {
    const { file } = change;
    return { file, author, change: (notes) => changeNotes(notes, change, { ...rulesOf(file), ...rules }) };
  };
  return {
    read: (file) => readFile(folder, file, clean),
    change: (change, author, tainted) =>
      tainted === undefined
        ? write(wantedBy(change, author))
        : within(folder, () => propose(wantedBy(change, author), { change, tainted }, writer)),
    rewrite: (file, notes, author, from) => {
      const change: Wanted["change"] = (before) => rewriteNotes(before, notes, rulesOf(file), from);
      return write({ file, author, change, givesUp: author.by === "person" });
    },
    proposals: () => readProposals(folder).proposals,
    decide: (id, accept) =>
      within(folder, () =>
        settle(id, writer, ({ change, written: { atMs: _asked, ...author } }) =>
          accept ? writeNotes(wantedBy(change, author, { whole: true }), writer) : { type: "unchanged" },
        ),
      ),
    versions: () => linesIn(folder).map(versionOf).toReversed(),
    restore: async (version, author) => {
      const known = linesIn(folder).findLast((line) => line.version === version);
      return (
        known && write({ file: known.file, author, known, change: (before) => back(before, known), givesUp: true })
      );
    },
  };
}

/** What was there once is put back whatever it is; the prompt still leaves out what must not be told. */
function back(before: readonly string[], { text }: Line): Changed {
  const notes = notesIn(text);
  const isThere = before.length === notes.length && before.every((note, at) => note === notes[at]);
  return isThere ? { type: "unchanged" } : { type: "done", notes };
}

const linesIn = (folder: string): readonly Line[] => readable(folder)?.lines() ?? [];

/** Undefined: nothing of it can be read. */
function readable(folder: string): Journal | undefined {
  try {
    return readJournal(folder);
  } catch {
    return undefined;
  }
}

function readFile(folder: string, file: NoteFile, clean: (text: string) => string): NotesRead {
  const name = FILE_NAMES[file];
  const found = readNotes(folder, file);
  // What is kept for both files is told of once.
  const beside = file === "memory" ? troublesBeside(folder) : [];
  if (found.type === "unread") {
    const unread = unreadFile(join(folder, name), found.because);
    return { notes: [], troubles: [unread, ...beside] };
  }
  const { notes } = found;
  const limit = NOTE_LIMITS[file];
  const { blocked, noRoom } = toldNotes(notes, limit);
  const troubles = [
    ...blocked.map(({ note, threats }) => blockedNote(name, note, threats)),
    ...notes.flatMap((note, at) => (clean(note) === note ? [] : [secretNote(name, at + 1)])),
    ...(noRoom.length === 0 ? [] : [overfull(name, { characters: noteCharacters(notes), limit, left: noRoom.length })]),
    ...beside,
  ];
  return { notes: notesFrom(notes, readable(folder)?.last(file)), troubles };
}

function troublesBeside(folder: string): Sentence[] {
  const { path, isDamaged } = readProposals(folder);
  const damaged = isDamaged ? [damagedProposals(path)] : [];
  try {
    readJournal(folder);
    return damaged;
  } catch (error) {
    return [...damaged, lostJournal(reasonOf(error))];
  }
}
