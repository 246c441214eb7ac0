import type { HistoryCompacted } from "../protocol/fact.ts";
import type { Text } from "../words/language.ts";
import { compactedLine } from "../words/timeline.ts";
import { oneLine } from "./plain-text.ts";

/** What is left out and why, and what was wrong with the model that was to sum it up, which may say anything. */
export const leftOutLine = ({ trouble, ...fact }: HistoryCompacted): Text =>
  compactedLine(trouble === undefined ? fact : { ...fact, trouble: oneLine(trouble) });
