import { type Message, textOf } from "../message.ts";
import { cutReceipt, isWorthCutting } from "./receipts.ts";
import { lookUpsIn } from "./look-ups.ts";

/** What is sent may fill so much of its room once something had to be cut: the next message must not cut again. */
const AIM = 0.85;

type History = readonly (Message | undefined)[];

export interface Cutting {
  /** Receipts below this place are left as they are. */
  readonly from: number;
  /** Look-ups below this place are cut already, and stay so. */
  readonly cutBefore: number;
  /** Tokens that may be sent, and what is sent of them beside these messages. */
  readonly room: number;
  readonly beside: number;
  readonly weigh: (message: Message) => number;
}

/**
 * Below which place what look-ups found is to be one line each, so that a history fits: the oldest first, in one step
 * that leaves room for some time, and the newest only where nothing else helps (row F2, nanobot.md §8). Where it fits
 * as it is, the place stays the same.
 */
export function cutPlace(history: History, { from, cutBefore, room, beside, weigh }: Cutting): number {
  const found = lookUpsIn(history).filter((at) => at >= from && isLong(history[at]));
  const saving = (at: number): number => {
    const message = history[at];
    return message?.role === "tool" ? weigh(message) - weigh(cutReceipt(message)) : 0;
  };
  let tokens = history.reduce((sum, message) => sum + (message === undefined ? 0 : weigh(message)), beside);
  for (const at of found) if (at < cutBefore) tokens -= saving(at);
  if (tokens <= room) return cutBefore;
  let place = cutBefore;
  const left = found.filter((at) => at >= cutBefore);
  for (const at of left) {
    if (tokens <= (at === left.at(-1) ? room : room * AIM)) break;
    tokens -= saving(at);
    place = at + 1;
  }
  return place;
}

const isLong = (message: Message | undefined): boolean => message?.role === "tool" && isWorthCutting(textOf(message));
