import { callsOf, type Message } from "../message.ts";

/** Which part of a history is kept: places in it, each of them where a history may begin (nanobot.md §2.4, §8). */

type History = readonly (Message | undefined)[];

/** So many of the newest messages are shown, whatever is archived: what was just said must not be hidden. */
const NEWEST = 8;

/**
 * Where what is shown of a history begins when all below `archived` has been put away: the newest messages stay in any
 * case, with the question they belong to.
 */
export function replayFrom(history: History, archived: number): number {
  const newest = Math.max(0, history.length - NEWEST);
  return archived <= newest ? legalFrom(history, archived) : recentFrom(history, NEWEST, true);
}

/** Where the newest messages begin that are no more than `most`, with a question; `extend`: or with the one they belong to. */
export function recentFrom(history: History, most: number, extend = false): number {
  const from = Math.max(0, history.length - most);
  return legalFrom(history, extend && !hasUser(history, from) ? questionBefore(history, from) : from);
}

/**
 * Where the newest messages begin that weigh no more than `room`: all of them where they fit; else with a user; if there is none among them, with the
 * newest one, whatever that weighs. The last message always stays.
 */
export function snipFrom(history: History, room: number, weigh: (message: Message) => number): number {
  let from = history.length;
  for (let left = room; from > 0; from--) {
    const message = history[from - 1];
    left -= message === undefined ? 0 : weigh(message);
    if (left < 0 && from < history.length) break;
  }
  if (from === 0) return 0;
  if (hasUser(history, from)) return legalFrom(history, from);
  const question = history.findLastIndex(isUser);
  return legalStart(history, question < 0 ? from : question);
}

/** Where history may begin at this place or behind it: with a user or what was sent to one, and with no half of a pair. */
function legalFrom(history: History, from: number): number {
  const question = history.findIndex((message, at) => at >= from && isUser(message));
  const isAnswer = question > from && isDelivery(history[question - 1]);
  return legalStart(history, question < 0 ? from : isAnswer ? question - 1 : question);
}

/** Behind the last receipt, from this place on, whose call stands before the place. */
export function legalStart(history: History, from: number = 0): number {
  let start = from;
  let asked = new Set<string>();
  for (let at = from; at < history.length; at++) {
    const message = history[at];
    if (message?.role === "assistant") for (const { callId } of callsOf(message)) asked.add(callId);
    if (message?.role !== "tool" || asked.has(message.callId)) continue;
    start = at + 1;
    asked = new Set();
  }
  return start;
}

function questionBefore(history: History, from: number): number {
  const question = history.findLastIndex((message, at) => at < from && isUser(message));
  if (question < 0) return from;
  return isDelivery(history[question - 1]) ? question - 1 : question;
}

const hasUser = (history: History, from: number): boolean =>
  history.some((message, at) => at >= from && isUser(message));

const isUser = (message: Message | undefined): boolean => message?.role === "user";

/** Something that was sent to a person unasked, and that the next question may be about (nanobot.md §2.4). */
const isDelivery = (message: Message | undefined): boolean => message?.extra?.["_channel_delivery"] === true;
