import type { Sentence } from "./sentence.ts";

/** What stood at a path, for people and programs. `mode`: permission bits. */
export type FileState =
  | { readonly type: "file"; readonly hash: string; readonly mode: number }
  | { readonly type: "link"; readonly target: string }
  | { readonly type: "folder"; readonly mode: number }
  /** It cannot be put back: too large, not readable, no file. */
  | { readonly type: "unkept"; readonly why: string };

/** What a turn did to one path, by the snapshots. */
export interface ChangedPath {
  /** Absolute. */
  readonly path: string;
  /** Null: there was nothing. */
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** The process that did it had died: all that differs since the snapshot is taken for its work. */
  readonly lost: boolean;
}

/** Why a path is left as it is: `changed`: by somebody else since; `unkept`: what it was is not there any more. */
export type LeftAlone = "changed" | "unkept" | "failed";

export type UndoneFiles =
  /** Nothing is known of such a turn. */
  | { readonly type: "unknown" }
  /** The turn changed nothing, or all of it is as it was. */
  | { readonly type: "nothing" }
  /** Nothing was done: all that the turn changed has to be left as it is. */
  | { readonly type: "refused"; readonly left: readonly { readonly path: string; readonly why: LeftAlone }[] }
  | {
      readonly type: "undone";
      /** Takes this undo back, as the id of a turn does. */
      readonly undoId: string;
      /** What was put back, or would be. */
      readonly paths: readonly ChangedPath[];
      readonly left: readonly { readonly path: string; readonly why: LeftAlone }[];
    };

export interface UndoAsked {
  /** Also what somebody else has changed since. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** How the ids of calls begin that a person has run, in no session: each counts as a turn of its own. */
export const OWN_CALL = "tool-";

/** What the snapshots of one profile know of turns. */
export interface TurnFiles {
  /** By path; undefined: nothing is kept of the turn. */
  changes(turnId: string): Promise<readonly ChangedPath[] | undefined>;
  /** What a file held that is named in `changes`; undefined: it is not kept any more. */
  content(hash: string, path: string): Buffer | undefined;
  /** Rejects with what the system says when not even the record of it could be written. */
  undo(turnId: string, asked: UndoAsked): Promise<UndoneFiles>;
  /** Lets go of all that was kept of these sessions. */
  forget(sessionIds: readonly string[]): void;
  close(): void;
}

/** What a look at the snapshots found; looking changes nothing. */
export type CheckpointCheck =
  | { readonly type: "absent" }
  | { readonly type: "sound"; readonly turns: number; readonly bytes: number }
  | { readonly type: "faulty"; readonly message: Sentence };
