import { DELEGATE_TASK } from "../protocol/delegation.ts";
import type { ToolCallPart } from "../protocol/message.ts";
import type { Inspection } from "../protocol/tool.ts";

/** Child agents one batch may start (hermes.md §1). */
export const MAX_CHILDREN = 3;

const TWICE = "Not run again: the same call stands before it in this batch, and its result counts for both.";
const tooMany = (most: number): string =>
  `Not started: one reply starts at most ${most} child agents. Ask again when these are done.`;

/**
 * What the calls of one reply mean together, decided when it arrives and recorded with it: of exact duplicates the
 * first runs, of child agents the first few (hermes.md §8.1). None is lost: each of the others gets a receipt.
 */
export function inspectBatch(
  calls: readonly ToolCallPart[],
  each: readonly Inspection[],
  most: number = MAX_CHILDREN,
): readonly Inspection[] {
  if (each.length < 2) return each;
  const seen = new Set<string>();
  let children = 0;
  return each.map((inspection, at) => {
    const call = calls[at];
    if (call === undefined || inspection.refuse !== undefined) return inspection;
    const name = inspection.name ?? call.name;
    // No tool has a line break in its name.
    const key = `${name}\n${call.input}`;
    if (seen.has(key)) return { ...inspection, skip: TWICE };
    seen.add(key);
    if (name === DELEGATE_TASK && ++children > most) return { ...inspection, skip: tooMany(most) };
    return inspection;
  });
}
