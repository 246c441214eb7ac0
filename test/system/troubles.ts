import { breachesIn } from "../support/sound.ts";

/** What the oracle says against a store that nobody writes, each in a line. */
export const findTroubles = (path: string): readonly string[] =>
  breachesIn(path).map(({ invariant, kind, detail }) => `${invariant} ${kind}: ${detail.en}`);
