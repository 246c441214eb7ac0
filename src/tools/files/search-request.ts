import type { Place } from "../paths.ts";

export interface SearchBounds {
  readonly deadlineMs: number;
  /** Names looked at, of files and folders. */
  readonly maxEntries: number;
}

/** One search as it was asked for, its paths resolved. */
export interface SearchRequest {
  /** A resolved folder or file. */
  readonly root: string;
  readonly rootIsFile: boolean;
  readonly shownRoot: string;
  /** Empty for none. */
  readonly pattern: string;
  /** The glob of names as it was given; empty for none. */
  readonly glob: string;
  readonly limit: number;
  readonly matchesName: (path: string) => boolean;
  /** Also what .gitignore and its like leave out. */
  readonly ignored: boolean;
  readonly place: Place;
  /** Aborted by the user or at the deadline. */
  readonly signal: AbortSignal;
  readonly bounds: SearchBounds;
}

export const routeOf = ({
  root,
  bounds,
  place,
  ignored,
  signal,
}: SearchRequest): {
  readonly root: string;
  readonly maxEntries: number;
  readonly place: Place;
  readonly ignored: boolean;
  readonly signal: AbortSignal;
} => ({ root, maxEntries: bounds.maxEntries, place, ignored, signal });
