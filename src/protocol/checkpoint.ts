/** Where in a session something changes files. */
export interface ChangePoint {
  readonly sessionId: string;
  readonly turnId: string;
  /** Model calls of the turn so far. */
  readonly iteration: number;
  readonly callId: string;
}

/** What a call did to one path, as it was seen on the disk. Hashes are SHA-256 of the bytes; null: there was no file. */
export interface FileChange {
  /** Absolute, its links resolved. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Keeps what files were before a turn changes them (rows E11, E12). */
export interface Checkpoints {
  /**
   * Before a call that may change these files, or anything below these folders: at most one snapshot for each of them and
   * iteration, safe on the disk when it resolves. Never rejects; a sentence says what could not be kept.
   */
  before(paths: readonly string[], at: ChangePoint): Promise<string | undefined>;
  /** When the call has ended, however: what it changed of them. Never rejects. */
  after(paths: readonly string[], at: ChangePoint): Promise<readonly FileChange[]>;
}
