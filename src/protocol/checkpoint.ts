import type { Sentence } from "./sentence.ts";

/** Where in a session something changes files. */
export interface ChangePoint {
  readonly sessionId: string;
  readonly turnId: string;
  /** Model calls of the turn so far. */
  readonly iteration: number;
  readonly callId: string;
}

/**
 * What a call did to one path, as it was seen on the disk. Hashes are SHA-256 of the bytes, of a link those of its target;
 * what is not read is told apart by `REASON:STAMP`. Null: there was no file. The same twice: only its mode has changed.
 */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What a snapshot has found. */
export interface Before {
  /** What could not be kept. */
  readonly unkept?: Sentence;
  /** Files that have changed since the turn looked last, by no call of it. */
  readonly foreign: readonly string[];
}

/** Keeps what files were before a turn changes them (rows E11, E12). */
export interface Checkpoints {
  /**
   * Before a call that may change these files, or anything below these folders: at most one snapshot for each of them and
   * iteration, safe on the disk when it resolves. Of a call that runs already: it may change these as well. Never rejects.
   */
  before(paths: readonly string[], at: ChangePoint): Promise<Before>;
  /** When the call has ended, however: what it changed of them. Never rejects. */
  after(paths: readonly string[], at: ChangePoint): Promise<readonly FileChange[]>;
  /**
   * When a turn is taken up that a process has left: what its calls changed until now is theirs, and nothing that comes
   * later. Never rejects.
   */
  settle(turnId: string): Promise<void>;
}
