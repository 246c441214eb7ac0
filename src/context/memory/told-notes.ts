import { noteCharacters } from "../../protocol/memory.ts";
import { threatsIn } from "../prompt/threats.ts";

export interface ToldNotes {
  readonly told: readonly string[];
  /** With what was found in each. */
  readonly blocked: readonly { readonly note: string; readonly threats: readonly string[] }[];
  /** They stand behind what fills the room. */
  readonly noRoom: readonly string[];
}

/** What of a file a model is told: each note stands for itself, and one that must not be told costs no other. */
export function toldNotes(notes: readonly string[], limit: number): ToldNotes {
  const told: string[] = [];
  const blocked: { note: string; threats: string[] }[] = [];
  const noRoom: string[] = [];
  for (const note of notes) {
    const threats = threatsIn(note);
    if (threats.length > 0) blocked.push({ note, threats });
    else if (noRoom.length > 0 || noteCharacters([...told, note]) > limit) noRoom.push(note);
    else told.push(note);
  }
  return { told, blocked, noRoom };
}
