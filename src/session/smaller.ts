import type { Compaction } from "../protocol/projection/compaction.ts";
import { type Message, textOf } from "../protocol/message.ts";
import type { CompactionRequest, Compactor } from "../protocol/ports.ts";

/** How much of what is sent may be left when a person asks for less: the first that keeps what is to be kept. */
export const ASKED_SHARES = [0.3, 0.5, 0.7, 0.9] as const;

type History = CompactionRequest["history"];

/** The first message from a place on that holds the words; undefined: none does, or there are no words. */
export function placeOf(history: History, words: string, from: number): number | undefined {
  const isFirst = (message: History[number], at: number): boolean =>
    at >= from && message !== undefined && holds(message, words);
  const first = words === "" ? -1 : history.findIndex(isFirst);
  return first < 0 ? undefined : first;
}

/** A compaction by rules that leaves nothing out from this place on. Undefined when there is none. */
export function smaller(
  compactor: Compactor,
  { sessionId, history, compaction }: Omit<CompactionRequest, "share">,
  keepFrom: number = history.length,
): Compaction | undefined {
  for (const share of ASKED_SHARES) {
    const found = compactor.compact({ ...(sessionId !== undefined && { sessionId }), history, compaction, share });
    if (found !== undefined && found.from <= keepFrom && found.cutBefore <= keepFrom) return found;
  }
  return undefined;
}

const holds = (message: Message, words: string): boolean => textOf(message).toLowerCase().includes(words.toLowerCase());
