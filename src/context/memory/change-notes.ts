import { type NoteChange, type NoteRefusal, noteCharacters } from "../../protocol/memory.ts";
import { cleanText } from "../../protocol/clean-text.ts";
import { threatsIn } from "../prompt/threats.ts";
import { notesIn } from "../../protocol/note-text.ts";

/** What a change makes of the notes of a file. */
export type Changed =
  | { readonly type: "done"; readonly notes: readonly string[] }
  | { readonly type: "unchanged" }
  | ({ readonly type: "refused" } & NoteRefusal);

/** What notes must keep to. */
export interface NoteRules {
  /** Characters of all notes together. */
  readonly limit: number;
  /** Takes secrets out of a text: a note that it would change is refused. */
  readonly clean: (text: string) => string;
  /** What is to be found is a whole note, and no part of one. */
  readonly whole?: true;
}

const refused = (refusal: NoteRefusal): Changed => ({ type: "refused", ...refusal });

/** The notes after a change; nothing is read or written. */
export function changeNotes(notes: readonly string[], change: NoteChange, rules: NoteRules): Changed {
  if (change.do === "add") {
    const added = piecesOf(change.text);
    return added.length === 0 ? refused({ why: "blank" }) : judge(notes, [...notes, ...added], rules);
  }
  const find = wordsOf(change.find);
  const put = change.do === "remove" ? [] : piecesOf(change.text);
  if (find === "" || (change.do === "replace" && put.length === 0)) return refused({ why: "blank" });
  const meant = meantBy(notes, find, rules);
  const [first] = meant;
  // Asked for once more, after it was done.
  if (first === undefined && change.do === "replace" && put.every((note) => notes.includes(note)))
    return { type: "unchanged" };
  if (first === undefined) return refused({ why: "not-found" });
  if (meant.length > 1) return refused({ why: "ambiguous", notes: meant });
  const rest = notes.flatMap((note) => (note === first ? put : [note]));
  return judge(notes, rest, rules);
}

/** All notes anew; what others have made of them since they were `from` is kept so. */
export function rewriteNotes(
  notes: readonly string[],
  anew: readonly string[],
  rules: NoteRules,
  from: readonly string[] = notes,
): Changed {
  const kept = anew.flatMap(piecesOf).filter((note) => notes.includes(note) || !from.includes(note));
  const added = notes.filter((note) => !from.includes(note));
  return judge(notes, [...kept, ...added], rules);
}

const piecesOf = (text: string): string[] => notesIn(cleanText(text));

const wordsOf = (find: string): string => cleanText(find).replaceAll(/\r\n?/gu, "\n").trim();

/** The same change with the whole of the note that it means, so that it never means another one. */
export function wholeChange(notes: readonly string[], change: NoteChange): NoteChange {
  if (change.do === "add") return change;
  const [find = change.find] = meantBy(notes, wordsOf(change.find));
  return { ...change, find };
}

/** The different notes that may be meant; a whole note is that one, also where others hold the same words. */
function meantBy(notes: readonly string[], find: string, { whole }: Pick<NoteRules, "whole"> = {}): string[] {
  if (notes.includes(find)) return [find];
  if (whole === true) return [];
  return [...new Set(notes.filter((note) => note.includes(find)))];
}

function judge(before: readonly string[], wanted: readonly string[], { limit, clean }: NoteRules): Changed {
  const after = [...new Set(wanted)];
  if (after.length === before.length && after.every((note, at) => note === before[at])) return { type: "unchanged" };
  const added = after.filter((note) => !before.includes(note));
  if (added.some((note) => clean(note) !== note)) return refused({ why: "secret" });
  const threats = [...new Set(added.flatMap(threatsIn))];
  if (threats.length > 0) return refused({ why: "threat", threats });
  const characters = noteCharacters(after);
  // Of a file that somebody has filled by hand something can still be taken away.
  if (characters > limit && characters >= noteCharacters(before))
    return refused({ why: "no-room", characters, limit, notes: before });
  return { type: "done", notes: after };
}
