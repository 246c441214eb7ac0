import { callsOf, type Message } from "../../protocol/message.ts";
import { replayFrom } from "../../protocol/projection/selection.ts";

export type History = readonly (Message | undefined)[];

/** The first messages of a conversation that stay (hermes.md §13.1). */
const PROTECT_FIRST = 3;
/** How far the tail may be over its budget so that whole exchanges and turns stay. */
const SOFT_CEILING = 1.5;

export const beginsTurn = (message: Message | undefined): boolean =>
  message?.role === "user" && message.midTurn !== true;

const asksForTools = (message: Message | undefined): boolean =>
  message?.role === "assistant" && callsOf(message).length > 0;

/** Behind the receipts that stand at this place. */
export function alignStart(history: History, at: number): number {
  let start = at;
  while (history[start]?.role === "tool") start++;
  return start;
}

/** Before the calls whose receipts stand at this place, or right before it. */
export function alignEnd(history: History, at: number): number {
  let before = at - 1;
  while (history[before]?.role === "tool") before--;
  return asksForTools(history[before]) ? before : at;
}

interface Head {
  /** The newest message that began a turn. */
  readonly instruction: number;
  /** Tokens. */
  readonly most: number;
  /** So many messages, before they are whole exchanges. */
  readonly protectFirst?: number;
}

/**
 * How many messages from the beginning on stay, whole exchanges: none of the running turn, since what its user has asked
 * stands behind the summary; none where they are larger than `most`, tokens.
 */
export function headSize(
  history: History,
  { instruction, most, protectFirst = PROTECT_FIRST }: Head,
  tokensOf: TokensOf,
): number {
  let size = alignStart(history, Math.min(protectFirst, instruction));
  while (size > 0 && history[size - 1]?.role === "user") size--;
  return sumOf(history, 0, size, tokensOf) <= most ? size : 0;
}

export type TokensOf = (message: Message) => number;

export function sumOf(history: History, from: number, to: number, tokensOf: TokensOf): number {
  let sum = 0;
  for (let at = from; at < to; at++) {
    const message = history[at];
    if (message !== undefined) sum += tokensOf(message);
  }
  return sum;
}

interface Stretch {
  /** Before it nothing is counted. */
  readonly from: number;
  /** The last place that is looked at. */
  readonly last: number;
  /** Tokens that have to go. */
  readonly remove: number;
}

/**
 * Where the oldest whole turns end that together are as many tokens as have to go; the last end there is where they are
 * fewer. Undefined where no later turn begins (nanobot.md §5.3).
 */
export function consolidationEnd(
  history: History,
  { from, last, remove }: Stretch,
  tokensOf: TokensOf,
): number | undefined {
  let [removed, found]: [number, number | undefined] = [0, undefined];
  for (let at = from; at <= last && at < history.length; at++) {
    const message = history[at];
    if (at > from && beginsTurn(message)) {
      found = at;
      if (removed >= remove) return at;
    }
    if (message !== undefined) removed += tokensOf(message);
  }
  return found;
}

/** What is to be cut. */
export interface Cut {
  /** The first message that a summary does not tell of yet. */
  readonly start: number;
  /** The newest message that began a turn. */
  readonly instruction: number;
  /** Tokens that may stay. */
  readonly tail: number;
  /** From here on nothing is left out. */
  readonly keepFrom: number;
}

/**
 * The first message that stays. Whole old turns are left out first; of the running turn only what does not fit by far, and
 * then its oldest exchanges, each whole. Undefined where nothing can be left out.
 */
export function tailStart(history: History, cut: Cut, tokensOf: TokensOf): number | undefined {
  const { start, instruction, tail, keepFrom } = cut;
  const end = history.length;
  const ceiling = tail * SOFT_CEILING;
  const fits = (at: number): boolean => sumOf(history, at, end, tokensOf) <= ceiling;
  const remove = sumOf(history, start, end, tokensOf) - tail;
  const last = Math.min(instruction, keepFrom);
  const turn = consolidationEnd(history, { from: start, last, remove }, tokensOf);
  if (turn !== undefined && (turn < instruction || fits(turn) || keepFrom <= instruction))
    return withNewest(history, turn, start, fits);
  return exchangeStart(history, cut, tokensOf) ?? turn;
}

/** An older turn that fits too stays where the newest messages would be very few without it (hermes.md §13.2, step 4). */
function withNewest(history: History, turn: number, start: number, fits: (at: number) => boolean): number {
  const from = replayFrom(history, turn);
  return from > start && from < turn && beginsTurn(history[from]) && fits(from) ? from : turn;
}

/** In the running turn: an exchange with tools, the newest at the latest. */
function exchangeStart(
  history: History,
  { start, instruction, tail, keepFrom }: Cut,
  tokensOf: TokensOf,
): number | undefined {
  let [at, left] = [history.length, tail];
  while (at > instruction) {
    const message = history[at - 1];
    left -= message === undefined ? 0 : tokensOf(message);
    if (left < 0) break;
    at--;
  }
  const from = Math.min(alignEnd(history, at), keepFrom);
  const isLegal = (place: number): boolean => place > Math.max(start, instruction) && asksForTools(history[place]);
  for (let place = from; place > instruction; place--) if (isLegal(place)) return place;
  for (let place = from + 1; place <= Math.min(keepFrom, history.length); place++) if (isLegal(place)) return place;
  return undefined;
}
