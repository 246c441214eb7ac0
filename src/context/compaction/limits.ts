/** What may be left at the end of a conversation, as a share of the threshold, and how far that can be set (hermes.md §26.14). */
const TAIL_SHARE = 0.2;
const LEAST_SHARE = 0.1;
const MOST_SHARE = 0.8;

/** Tokens of the newest messages that stay word for word. */
export const tailBudget = (threshold: number, share: number = TAIL_SHARE): number =>
  Math.floor(threshold * Math.min(MOST_SHARE, Math.max(LEAST_SHARE, share)));

/** Of the window, and tokens, whichever is less (hermes.md §13.1). */
const SUMMARY_OF_WINDOW = 0.05;
const LONGEST_SUMMARY = 12_000;
const SHORTEST_SUMMARY = 2_000;
const SUMMARY_OF_COMPRESSED = 0.2;

/** The longest summary for a window of so many tokens, tokens. */
export const summaryCap = (window: number): number => Math.min(Math.floor(window * SUMMARY_OF_WINDOW), LONGEST_SUMMARY);

/** How long the summary of so many tokens is to be, tokens. */
export const summaryBudget = (compressed: number, window: number): number =>
  Math.max(SHORTEST_SUMMARY, Math.min(Math.floor(compressed * SUMMARY_OF_COMPRESSED), summaryCap(window)));
