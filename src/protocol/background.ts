/** A process that runs beside a session, as whoever looks from outside sees it. */
export interface BackgroundRow {
  readonly sessionId: string;
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  /** Null: it was about to be started. */
  readonly pid: number | null;
  readonly isRunning: boolean;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** The program that looks after it; null: that has gone, and the next one that goes on with the session takes over. */
  readonly owner: number | null;
}
