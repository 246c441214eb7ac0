import { join } from "node:path";
import { NOTE_FILES, type Note, type NoteAnswer, type NoteBook, type NoteFile } from "../../protocol/memory.ts";
import { FILE_NAMES, MEMORY_WORDS, NOTE_STEPS, noteRefusal, noSuchNote, severalNotes } from "../../words/memory.ts";
import { spelledOut } from "../../session/plain-text.ts";
import { ownFolders } from "../config/own-folders.ts";
import type { CommandContext } from "../context.ts";
import type { Io } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";

/** A note with the number that people call it by: from 1, over both files. */
export interface Numbered extends Note {
  readonly number: number;
  readonly file: NoteFile;
}

/** The notes of the profile that is asked. */
export const openNotes = ({ adapters, io }: Pick<CommandContext, "adapters" | "io">): Promise<NoteBook> =>
  adapters.openNotes(ownFolders(io));

/** Where a file of notes lies. */
export const noteFile = (file: NoteFile, io: Io): string => join(ownFolders(io).data, "memory", FILE_NAMES[file]);

export function numberedNotes(book: NoteBook): Numbered[] {
  const notes = NOTE_FILES.flatMap((file) => book.read(file).notes.map((note) => ({ ...note, file })));
  return notes.map((note, at) => ({ ...note, number: at + 1 }));
}

/** The note that is called so: its number, or words of it alone. Throws RefusalError. */
export function namedNote(book: NoteBook, asked: string): Numbered {
  const words = asked.trim();
  const shown = spelledOut(words);
  if (words === "") throw usageRefusal(MEMORY_WORDS.blank, { steps: [NOTE_STEPS.list] });
  const found = notesLike(numberedNotes(book), words);
  const [note, ...others] = found;
  if (note === undefined) throw usageRefusal(noSuchNote(shown), { code: "no_such_note", steps: [NOTE_STEPS.list] });
  if (others.length === 0) return note;
  const numbers = found.map(({ number }) => number);
  throw usageRefusal(severalNotes(shown, numbers), { code: "ambiguous", steps: [NOTE_STEPS.list] });
}

function notesLike(notes: readonly Numbered[], words: string): Numbered[] {
  if (/^\d+$/u.test(words)) return notes.filter(({ number }) => number === Number(words));
  const exact = notes.filter(({ text }) => text === words);
  return exact.length > 0 ? exact : notes.filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()));
}

/** Throws what a person is told where a change was not made. */
export function mustBeDone(answer: NoteAnswer): void {
  if (answer.type !== "refused") return;
  if (answer.why !== "unreadable") throw usageRefusal(noteRefusal(answer), { code: answer.why });
  throw new RefusalError({ reason: "store_unavailable", message: noteRefusal(answer), steps: [] });
}

/** A time as lists show it. */
export const minuteOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** A text of several lines behind a mark as wide as `indent`. */
export const indented = (text: string, indent: string): string => spelledOut(text).replaceAll("\n", `\n${indent}`);

/** What a change takes away and brings. */
export interface Difference {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export const difference = (before: readonly string[], after: readonly string[]): Difference => ({
  removed: before.filter((text) => !after.includes(text)),
  added: after.filter((text) => !before.includes(text)),
});

/** A line for each note that goes or comes, lines of the same note below its mark. */
export const differenceLines = ({ removed, added }: Difference, before: string = "  "): string[] => [
  ...removed.map((text) => `${before}- ${indented(text, `${before}  `)}`),
  ...added.map((text) => `${before}+ ${indented(text, `${before}  `)}`),
];
