/** Keeps results that are too long for a model, for as long as their session (row E8). */
export interface ResultFiles {
  /** The longest result that is told whole, characters; LONGEST_RESULT when absent. A tool may have its own. */
  readonly limit?: number | undefined;
  /** How much of a longer one is shown beside its file, characters; PREVIEW_CHARS when absent. */
  readonly preview?: number | undefined;
  /** What all results of one reply may have together, characters; LONGEST_BATCH when absent. */
  readonly batch?: number | undefined;
  /** Where the text lies now; undefined when it could not be kept. Never rejects. */
  keep(text: string, of: { readonly sessionId: string; readonly callId: string }): Promise<string | undefined>;
}

/** hermes.md §14.6. */
export const LONGEST_RESULT = 100_000;
export const LONGEST_BATCH = 200_000;
/** Row E8. */
export const PREVIEW_CHARS = 512;
/** More of one result is not written to a disk, bytes (security.md §3.11). */
export const LONGEST_FILE = 10_485_760;
