import type { NoteDifference } from "../../protocol/dream.ts";
import { isObject, type JsonObject, objectInText } from "../../protocol/json.ts";
import { NOTE_FILES, type NoteFile } from "../../protocol/memory.ts";

/** The notes of both files. */
export type Notes = Readonly<Record<NoteFile, readonly string[]>>;

/** By what name a model calls a note: the letter of its file, and its place there from 1 on. */
export const nameOf = (file: NoteFile, at: number): string => `${file[0]}${at + 1}`;

/** The notes as a model wants them; a text: why its reply says no such thing. */
export function edited(notes: Notes, reply: string): Notes | string {
  const asked = objectIn(reply);
  if (asked === undefined) return "it holds no JSON object";
  const { remove = [], add = {} } = asked;
  if (!isTexts(remove)) return '"remove" is no list of names';
  if (!isObject(add)) return '"add" is no object';
  const removed = new Set(remove.map((name) => name.trim()));
  const names = new Set(NOTE_FILES.flatMap((file) => notes[file].map((_, at) => nameOf(file, at))));
  const unknown = [...removed].find((name) => !names.has(name));
  if (unknown !== undefined) return "it names a note that is not there";
  const after: Record<NoteFile, readonly string[]> = { memory: [], user: [] };
  for (const file of NOTE_FILES) {
    const added = add[file] ?? [];
    if (!isTexts(added)) return '"add" holds what is no list of notes';
    const kept = notes[file].filter((_, at) => !removed.has(nameOf(file, at)));
    after[file] = [...new Set([...kept, ...added.map((text) => text.trim()).filter((text) => text !== "")])];
  }
  return removed.size > 0 && countOf(after) === 0 ? "it would leave no note at all" : after;
}

export const countOf = (notes: Notes): number => NOTE_FILES.reduce((sum, file) => sum + notes[file].length, 0);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** Models like to put it between fences, or a word before it. */
const objectIn = (reply: string): JsonObject | undefined =>
  objectInText(reply.slice(reply.indexOf("{"), reply.lastIndexOf("}") + 1));

/** What the one has that the other has not, file by file; a file that is the same is left out. */
export const differencesOf = (before: Notes, after: Notes): NoteDifference[] =>
  NOTE_FILES.map((file) => ({
    file,
    removed: before[file].filter((note) => !after[file].includes(note)),
    added: after[file].filter((note) => !before[file].includes(note)),
  })).filter(({ removed, added }) => removed.length + added.length > 0);
