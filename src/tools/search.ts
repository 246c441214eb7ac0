import type { Place } from "./paths.ts";

/** One search as it was asked for, its paths resolved. */
export interface Search {
  /** A resolved folder or file. */
  readonly root: string;
  readonly rootIsFile: boolean;
  readonly shownRoot: string;
  /** Empty for none. */
  readonly pattern: string;
  readonly limit: number;
  readonly matchesName: (path: string) => boolean;
  readonly place: Place;
  /** Aborted by the user or at the deadline. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}
