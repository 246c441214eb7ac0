import type { Message } from "../../protocol/message.ts";
import { project } from "../../protocol/projection/project.ts";
import type { Compactor } from "../../protocol/ports.ts";
import { compacted, type Compaction, shownHistory } from "../../protocol/projection/compaction.ts";
import { cutPlace } from "../../protocol/projection/micro-compaction.ts";
import { snipFrom } from "../../protocol/projection/selection.ts";
import { PICTURE_BYTES } from "../../protocol/window.ts";
import { beginsTurn, type History } from "./boundaries.ts";
import { openTodos } from "./open-todos.ts";
import { shortSummary } from "./short-summary.ts";

/** The newest receipts that stay whole as long as it helps to leave out others (row F2). */
const WHOLE_RECEIPTS = 10;

/**
 * Makes a history smaller without a model: old receipts become one line, then the oldest turns go, then the oldest pairs
 * of the running turn, each whole; last of all the newest receipts are cut too. What the user asked in this turn stays
 * word for word, and so does what a model has said of what was left out before, as long as there is room for it: it may
 * have been written for a larger window.
 */
export const rules: Compactor = {
  compact({ history, compaction, share }) {
    const sizeNow = sizeOf(shownHistory(history, compaction));
    const smaller = sizeNow - 1;
    const target = Math.min(sizeNow * share, smaller);
    const ways = waysToCompact(history, compaction, target);
    const least = ways.at(-1) ?? [];
    const shorter = shorterSummaries(least.at(-1));
    for (const way of [...ways, shorter]) {
      const found = mildest(history, way, target);
      if (found !== undefined) return found;
    }
    return mildest(history, least, smaller) ?? mildest(history, shorter.slice(-1), smaller);
  },
};

/** The first of them that fits. Each leaves out more than the one before it. */
function mildest(history: History, way: readonly Compaction[], target: number): Compaction | undefined {
  const fits = (at: number): boolean => {
    const compaction = way[at];
    return compaction !== undefined && sizeOf(compacted(history, compaction)) <= target;
  };
  let [low, high] = [0, way.length - 1];
  if (!fits(high)) return undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return way[low];
}

/** From the mildest to the hardest; what was compacted stays so (design §5.4). */
function waysToCompact(history: History, before: Compaction | undefined, target: number): Compaction[][] {
  const instruction = history.findLastIndex(beginsTurn);
  if (instruction < 0) return [];
  const through = history.length;
  const todos = openTodos(history);
  const compaction = (from: number, cut: number): Compaction => {
    const cutBefore = Math.max(cut, before?.cutBefore ?? 0);
    const open = from > 0 && todos !== undefined ? { todos } : {};
    return { ...keptOf(before), through, from, instruction, cutBefore, ...open };
  };
  const starts = beginnings(history, instruction, before?.from ?? 0);
  const newest = Math.max(instruction, history.findLastIndex(isBatch));
  const room = newestThatFit(history, instruction, target);
  return [
    lookUpsCut(history, before, target).map((cut) => ({ ...compaction(before?.from ?? 0, cut), cut: "look-ups" })),
    starts
      .filter((from) => from <= instruction && from >= Math.min(room, instruction))
      .map((from) => compaction(from, newestReceipts(history))),
    starts.map((from) => compaction(from, newest)),
    withoutHead(compaction(starts.at(-1) ?? instruction, through)),
  ];
}

/**
 * What look-ups found can be had again: of that the oldest goes before anything else, and no more than has to, as long as
 * the newest results stay whole (row F2). The place; none where that does not do, or where more was cut already.
 */
function lookUpsCut(history: History, before: Compaction | undefined, target: number): number[] {
  const { from = 0, head = 0, cutBefore = 0, cut } = before ?? {};
  if (cutBefore > 0 && cut === undefined) return [];
  const beside = sizeOf(history.slice(0, head).filter((message) => message !== undefined));
  const cutting = { from: 0, cutBefore: Math.max(0, cutBefore - from), room: target, beside, weigh };
  const place = from + cutPlace(history.slice(from), cutting);
  return place > newestReceipts(history) ? [] : [place];
}

/** Where the newest messages begin that fit without those before them, shortened as old ones are. */
const newestThatFit = (history: History, instruction: number, target: number): number =>
  snipFrom(
    compacted(history, { through: history.length, from: 0, instruction, cutBefore: newestReceipts(history) }),
    target,
    weigh,
  );

const weigh = (message: Message): number => sizeOf([message]);

/** What a model has said of what was left out before, and from where on it has said nothing. */
function keptOf(before: Compaction | undefined): Partial<Compaction> {
  const { head, summary, summaryTo = before?.from } = before ?? {};
  return {
    ...(head !== undefined && { head }),
    ...(summary !== undefined && summaryTo !== undefined && { summary, summaryTo }),
  };
}

/** The beginning of the conversation is worth less than what was asked now. */
function withoutHead(least: Compaction): Compaction[] {
  const { head, ...rest } = least;
  return head === undefined ? [least] : [least, rest];
}

/** What stays at least of a summary, step by step. */
const SUMMARY_SHARES = [1 / 2, 1 / 4, 1 / 8, 1 / 16] as const;
/** A shorter one says too little to lose any of it, characters. */
const SHORT_SUMMARY = 2_000;

function shorterSummaries(least: Compaction | undefined): Compaction[] {
  const { summary = "" } = least ?? {};
  if (least === undefined || summary.length <= SHORT_SUMMARY) return [];
  return SUMMARY_SHARES.map((share) => ({
    ...least,
    summary: shortSummary(summary, Math.max(SHORT_SUMMARY, summary.length * share)),
  }));
}

const isBatch = (message: Message | undefined): boolean =>
  message?.role === "assistant" && message.parts.some((part) => part.type === "tool-call");

/** Where what is kept may begin: with a turn, or in the running turn with a reply that asks for tools. */
function beginnings(history: History, instruction: number, from: number): number[] {
  // A history from elsewhere may begin with anything, and so may what is kept while nothing is left out.
  const starts = from === 0 ? [0] : [];
  for (let at = Math.max(1, from); at < history.length; at++) {
    const message = history[at];
    if (at <= instruction ? beginsTurn(message) : isBatch(message)) starts.push(at);
  }
  return starts;
}

/** The place of the oldest receipt that is not to be cut. */
function newestReceipts(history: History): number {
  let left = WHOLE_RECEIPTS;
  return history.findLastIndex((message) => message?.role === "tool" && --left === 0);
}

/** What a message costs beside its text, characters: less than any wire does, so that what is smaller here is so there. */
const OVERHEAD = 25;

/** In characters, as it is sent; reasoning does not count, for it may not be sent, nor does white space around a text. */
function sizeOf(messages: readonly Message[]): number {
  let size = 0;
  for (const message of project(messages)) {
    let text = "";
    for (const part of message.parts) {
      if (part.type === "tool-call") size += part.name.length + part.input.length + OVERHEAD;
      else if (part.type === "image") size += Math.min(part.url.length, PICTURE_BYTES);
      else if (part.type === "context" || part.type === "steer") size += part.text.trim().length;
      else if (part.type === "text") text += part.text;
    }
    if (message.role === "user") text = message.sent ?? text;
    size += text.trim().length + OVERHEAD;
  }
  return size;
}
