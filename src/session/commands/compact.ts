import { COMMAND_SAYS, compactedSays } from "../../words/commands.ts";
import { systemClock } from "../system-clock.ts";
import type { CommandContext } from "./command.ts";

/** Whoever waits longer is told what goes on, ms. */
const PATIENCE_MS = 1_000;

/**
 * `/compact`: less is sent from here on. From the first message on that holds the words, nothing is left out; where none
 * holds them, they are what the summary keeps above all.
 */
export async function compact({ lane: open, tell, language, signal }: CommandContext, words: string): Promise<void> {
  const lane = await open();
  const over = new AbortController();
  const told = systemClock.sleep(PATIENCE_MS, over.signal).then(() => {
    if (!over.signal.aborted) tell(COMMAND_SAYS.summarising[language]);
  });
  const done = await lane.compact(words, signal);
  over.abort();
  await told;
  if (done !== undefined) return tell(compactedSays(done)[language]);
  tell(COMMAND_SAYS[signal?.aborted === true ? "compactionStopped" : "notCompacted"][language]);
}
