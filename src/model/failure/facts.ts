import { THINKS_LONG } from "./words/network.ts";

/** What a request was that failed. */
export interface Sent {
  readonly provider: string;
  readonly model: string;
  /** About how many it had. */
  readonly tokens: number;
  readonly messages: number;
  /** Tokens that the model takes; undefined: unknown. */
  readonly window: number | undefined;
}

/** All that is known of a failure. What is not known is empty. */
export interface FailureFacts {
  readonly status: number | undefined;
  /** Machine-readable words of the body, in lower case, the innermost last. */
  readonly codes: readonly string[];
  /** All that was said, as `toMatch` leaves it. */
  readonly text: string;
  /** The sentence for people in a body that has a form. */
  readonly said: string;
  /** Names of the error that was thrown, and its system codes. */
  readonly thrown: readonly string[];
  readonly sent: Sent;
}

export const NOTHING_SENT: Sent = { provider: "", model: "", tokens: 0, messages: 0, window: undefined };

/** How many causes of causes are looked at (hermes.md §10.1). */
export const MOST_CAUSES = 5;

/** An error that is longer says nothing new, characters. */
export const LONGEST_ERROR = 65_536;

/** Of that, sentences are looked at no longer than this, characters: their beginning and their end are looked at. */
const LONGEST = { begin: 6_144, end: 2_048 };

/** A text in the form in which words are looked for: lower case, one space between words, never long. */
export function toMatch(text: string): string {
  const cut =
    text.length <= LONGEST.begin + LONGEST.end ? text : `${text.slice(0, LONGEST.begin)} ${text.slice(-LONGEST.end)}`;
  return cut.toLowerCase().replace(/\s+/g, " ").trim();
}

/** From when on a request is large (hermes.md §10.3 step 11, §10.4). */
export interface Large {
  /** Of the window. */
  readonly share: number;
  /** Either of them is enough where the window is not known to be larger than `SMALL_WINDOW`. */
  readonly tokens: number;
  readonly messages: number;
}

/** So large that a server may have given up on it. */
export const LARGE: Large = { share: 0.6, tokens: 120_000, messages: 200 };
/** So large that a server that does not say what is wrong with it may mean its length. */
export const RATHER_LARGE: Large = { share: 0.4, tokens: 80_000, messages: 80 };

/** Tokens; what a model has of whom nothing is known. */
const USUAL_WINDOW = 200_000;
/** In a larger window many messages and tokens are nothing special. */
const SMALL_WINDOW = 256_000;

export function isLarge({ tokens, messages, window = USUAL_WINDOW }: Sent, large: Large): boolean {
  if (tokens > large.share * window) return true;
  return window <= SMALL_WINDOW && (tokens > large.tokens || messages > large.messages);
}

/** A model that may be silent for minutes before it answers; `model` as it is asked for, an aggregator's prefix and all. */
export function thinksLong(model: string): boolean {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return THINKS_LONG.some((beginning) => name.startsWith(beginning));
}
