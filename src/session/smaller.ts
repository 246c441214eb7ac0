import type { Compaction } from "../protocol/compaction.ts";
import { type Message, textOf } from "../protocol/message.ts";
import type { CompactionRequest, Compactor } from "../protocol/ports.ts";

/** How much of what is sent may be left when a person asks for less: the first that keeps what is to be kept. */
const SHARES = [0.3, 0.5, 0.7, 0.9];

/**
 * A compaction that leaves nothing out from the first message on that holds `keep`, which may be empty. Undefined when
 * there is none.
 */
export function smaller(
  compactor: Compactor,
  { history, compaction }: Omit<CompactionRequest, "share">,
  keep: string,
): Compaction | undefined {
  const first = keep === "" ? -1 : history.findIndex((message) => message !== undefined && holds(message, keep));
  const limit = first < 0 ? history.length : first;
  for (const share of SHARES) {
    const found = compactor.compact({ history, compaction, share });
    if (found !== undefined && found.from <= limit && found.cutBefore <= limit) return found;
  }
  return undefined;
}

const holds = (message: Message, words: string): boolean => textOf(message).toLowerCase().includes(words.toLowerCase());
