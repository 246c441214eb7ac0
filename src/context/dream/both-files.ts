import { type Author, type NoteBook, type NoteFile, type NoteRefusal } from "../../protocol/memory.ts";
import type { NoteDifference } from "../../protocol/dream.ts";
import { threatsIn } from "../prompt/threats.ts";
import { differencesOf, type Notes } from "./edits.ts";

const textsOf = (book: NoteBook, file: NoteFile): string[] => book.read(file).notes.map(({ text }) => text);

/** All notes of both files. */
export const allNotes = (book: NoteBook): Notes => ({ memory: textsOf(book, "memory"), user: textsOf(book, "user") });

const isHarmless = (note: string): boolean => threatsIn(note).length === 0;

/** Those that a model may be told. */
export const shownNotes = (book: NoteBook): Notes => ({
  memory: textsOf(book, "memory").filter(isHarmless),
  user: textsOf(book, "user").filter(isHarmless),
});

/** How notes are to change; what others have made of them since `from` is kept. */
export interface Change {
  readonly from: Notes;
  readonly to: Notes;
}

export type BothRefused = NoteRefusal & { readonly file: NoteFile };

/** Both files or neither. Asked for once more, it does what is left to do. */
export async function changeBoth(
  { from, to }: Change,
  author: Author,
  book: NoteBook,
): Promise<BothRefused | undefined> {
  const done: NoteFile[] = [];
  for (const file of changedBy({ from, to })) {
    const answer = await book.rewrite(file, to[file], author, from[file]);
    if (answer.type !== "refused") {
      done.push(file);
      continue;
    }
    for (const back of done) await book.rewrite(back, from[back], author, to[back]);
    return { ...answer, file };
  }
  return undefined;
}

const changedBy = ({ from, to }: Change): NoteFile[] => differencesOf(from, to).map(({ file }) => file);

const PERSON: Author = { by: "person" };

/**
 * Both files as they were before a dream. A file that nobody has changed since gets its earlier version back, and with it
 * who wrote what; in the other what others have added stays, and what they have taken away stays away.
 */
export async function putBack({ before, after }: Dreamt, book: NoteBook): Promise<BothRefused | undefined> {
  for (const file of changedBy({ from: before, to: after })) {
    const [newest, older] = book.versions().filter((version) => version.file === file);
    const isLast = newest?.written.by === "dream" && isSame(newest.notes, textsOf(book, file));
    const answer =
      isLast && older !== undefined
        ? await book.restore(older.version, PERSON)
        : await book.rewrite(file, before[file], PERSON, after[file]);
    if (answer?.type === "refused") return { ...answer, file };
  }
  return undefined;
}

/** What that would change. */
export const wouldPutBack = ({ before, after }: Dreamt, now: Notes): NoteDifference[] =>
  differencesOf(after, before)
    .map(({ file, removed, added }) => ({
      file,
      removed: removed.filter((note) => now[file].includes(note)),
      added: added.filter((note) => !now[file].includes(note)),
    }))
    .filter(({ removed, added }) => removed.length + added.length > 0);

/** What a dream was shown, and what it has made of that. */
interface Dreamt {
  readonly before: Notes;
  readonly after: Notes;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((note, at) => note === other[at]);
