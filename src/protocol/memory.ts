import type { Sentence } from "./sentence.ts";

/** What outlives a session in the agent's own words: two small files of notes (rows F5, A11). */

/** `memory`: what the agent has learnt of its work; `user`: what it knows of the person it works for. */
export type NoteFile = (typeof NOTE_FILES)[number];
export const NOTE_FILES = ["memory", "user"] as const;

/** Characters of all notes of a file together (hermes.md §16). */
export const NOTE_LIMITS: Readonly<Record<NoteFile, number>> = { memory: 2_200, user: 1_375 };

/** Notes as their file holds them and as a model is told them: a line of its own between two. */
export const joinedNotes = (notes: readonly string[]): string => notes.join(`\n${NOTE_MARK}\n`);
export const NOTE_MARK = "§";

/** How much of the limit these notes take, in characters as people count them: code points. */
export const noteCharacters = (notes: readonly string[]): number => Array.from(joinedNotes(notes)).length;

/** Who writes what outlives a session. */
export interface Author {
  readonly by: "turn" | "review" | "dream" | "person";
  /** The turn it is known from, and its session; of a review the turn that was reviewed. Absent: no turn, a person. */
  readonly sessionId?: string;
  readonly turnId?: string;
}

/** So begins the receipt of a change that waits for a person, and of one that was not needed: reviews count neither as made. */
export const PROPOSED = "Not written yet:";
export const UNCHANGED = "That is how it stands already.";

/** Who writes by a call: whoever it is made for, else its turn. */
export const authorOf = ({ author, sessionId, turnId }: Caller): Author =>
  author ?? { by: "turn", sessionId, ...(turnId !== undefined && { turnId }) };

interface Caller {
  readonly author?: Author;
  readonly sessionId: string;
  readonly turnId?: string;
}

/** When and from where something was written. */
export interface Written extends Author {
  /** ms since the epoch */
  readonly atMs: number;
}

export interface Note {
  readonly text: string;
  /** Absent: somebody has written it into the file by hand. */
  readonly written?: Written;
}

/** `find`: any part of the note that is meant, of one note alone. */
export type NoteChange =
  | { readonly do: "add"; readonly file: NoteFile; readonly text: string }
  | { readonly do: "replace"; readonly file: NoteFile; readonly find: string; readonly text: string }
  | { readonly do: "remove"; readonly file: NoteFile; readonly find: string };

/** Why a change was not made; nothing has changed. */
export type NoteRefusal =
  | { readonly why: "blank" | "not-found" }
  | { readonly why: "ambiguous"; readonly notes: readonly string[] }
  /** `characters`: what the file would hold then. */
  | { readonly why: "no-room"; readonly characters: number; readonly limit: number; readonly notes: readonly string[] }
  | { readonly why: "threat"; readonly threats: readonly string[] }
  | { readonly why: "secret" }
  /** The file holds what is no list of notes, or it cannot be written; `sentence` says why, and what helps. */
  | { readonly why: "unreadable"; readonly sentence: Sentence };

export type NoteAnswer =
  | { readonly type: "done"; readonly notes: readonly Note[] }
  /** The very note is there already. */
  | { readonly type: "unchanged" }
  /** It waits for a person: `evander memory review`. */
  | { readonly type: "proposed"; readonly id: string }
  | ({ readonly type: "refused" } & NoteRefusal);

/** A change that waits for a person, because it was asked for after others' words had been read. */
export interface NoteProposal {
  readonly id: string;
  /** What it finds is a whole note: it can be done to no other. */
  readonly change: NoteChange;
  readonly written: Written;
  /** What had been read: the name of the first tool that brought others' words. */
  readonly tainted: string;
}

/** The whole of a file, as it was from then on. */
export interface NoteVersion {
  /** From 1 on, for both files together. */
  readonly version: number;
  readonly file: NoteFile;
  readonly notes: readonly string[];
  readonly written: Written;
}

export interface NotesRead {
  readonly notes: readonly Note[];
  /** What of the file cannot be used, one sentence each; it is not touched. */
  readonly troubles: readonly Sentence[];
}

/** The notes of one profile. One writer at a time, in whatever process; whoever dies leaves the old file or the new one. */
export interface NoteBook {
  read(file: NoteFile): NotesRead;
  /** `tainted`: what others' words came from that had been read; the change is then proposed, and not made. */
  change(change: NoteChange, author: Author, tainted?: string): Promise<NoteAnswer>;
  /**
   * All notes of a file anew. `from`: the notes that they were made of; what others have added or taken away since is
   * kept so. Absent: what is there now.
   */
  rewrite(file: NoteFile, notes: readonly string[], author: Author, from?: readonly string[]): Promise<NoteAnswer>;
  proposals(): readonly NoteProposal[];
  /** A person's yes makes the change, a no drops it. Undefined: nothing of this name waits. */
  decide(id: string, accept: boolean): Promise<NoteAnswer | undefined>;
  /** The newest first. */
  versions(): readonly NoteVersion[];
  /** The file as it was, as a new version. Undefined: there is no such version. */
  restore(version: number, author: Author): Promise<NoteAnswer | undefined>;
}
