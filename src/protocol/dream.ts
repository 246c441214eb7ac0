import type { ExitReason, RefusalReason } from "./exit.ts";
import type { NoteFile } from "./memory.ts";
import type { Sentence } from "./sentence.ts";
import type { TurnResult } from "./result.ts";

/** What is written down of sessions until a dream has looked through it (row F5, nanobot.md §5.1). */
export interface DiaryEntry {
  /** From 1 on, each greater than all before it. */
  readonly cursor: number;
  /** Local time, `YYYY-MM-DD HH:MM`. */
  readonly timestamp: string;
  readonly content: string;
  /** The session it is of. */
  readonly session?: string;
  /** What had brought others' words into that session: no dream is given the entry (ADR 0044). */
  readonly tainted?: string;
}

/** What a file of notes has lost and won. */
export interface NoteDifference {
  readonly file: NoteFile;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** How a dream ended: a look through all notes and what is new in the diary, by a model that says what is to change. */
export type DreamEnd =
  | {
      readonly type: "done";
      /** What was really changed; empty where nothing was. */
      readonly differences: readonly NoteDifference[];
      /** Entries of the diary that were read. */
      readonly entries: number;
      /** Those that were not, because they hold others' words. */
      readonly passedOver: number;
      readonly run: TurnResult;
    }
  /** There is nothing to look through: no model was asked. */
  | { readonly type: "nothing" }
  /** Somebody else is at it. */
  | { readonly type: "busy" }
  /** The notes are as they were, and what was read is read again next time. */
  | {
      readonly type: "failed";
      readonly reason: ExitReason | RefusalReason;
      readonly sentence: Sentence;
      readonly run: TurnResult;
    };

/** How it ended that a dream was undone. `differences`: what undoing has changed, or what others have since the dream. */
export type DreamUndone =
  | { readonly type: "undone"; readonly differences: readonly NoteDifference[] }
  | { readonly type: "changed"; readonly differences: readonly NoteDifference[] }
  | { readonly type: "none" }
  | { readonly type: "busy" }
  | { readonly type: "refused"; readonly sentence: Sentence };

/** What a dream has changed. */
export interface PastDream {
  /** ms since the epoch */
  readonly atMs: number;
  readonly differences: readonly NoteDifference[];
}

/** The dreams of one profile that have changed notes. */
export interface PastDreams {
  /** The newest first. */
  list(): readonly PastDream[];
  /**
   * Puts the notes back as they were before the last one. `anyway`: also where others have changed notes since; what they
   * have added is kept.
   */
  undo(asked: UndoAsked): Promise<DreamUndone>;
}

export interface UndoAsked {
  readonly anyway?: boolean | undefined;
  /** Nothing is changed: it only says what would be. */
  readonly dryRun?: boolean | undefined;
}

export interface DreamAsked {
  readonly signal?: AbortSignal | undefined;
  /** Nobody asked for it: once a day, and only when enough is new. */
  readonly daily?: true;
  /** A model is asked, and nothing is changed: the differences are those that would be. */
  readonly dryRun?: boolean | undefined;
  /** Told of what is going to be read, before a model is asked. */
  readonly say?: (about: { readonly notes: number; readonly entries: number }) => void;
}
