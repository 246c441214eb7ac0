import type { Claim } from "../protocol/tool.ts";
import type { OpenCall } from "./state.ts";

/** How many calls of a segment run at once (rows B-E2, hermes.md §1). */
export const MAX_PARALLEL = 8;

type Call = Readonly<OpenCall>;

/**
 * The calls that may start now: the longest run, from the first open call, in which no claim conflicts with an earlier
 * one (rows E2, E3). A later call never passes an earlier barrier.
 */
export function nextSegment(open: Iterable<Call>): Call[] {
  const segment: Call[] = [];
  for (const call of open) {
    if (segment.length === MAX_PARALLEL) break;
    const { claim } = call.inspection;
    // Whatever is exclusive ends a segment at once, so what is shared has nothing before it to conflict with.
    if (claim.mode !== "shared" && segment.some((earlier) => conflicts(earlier.inspection.claim, claim))) break;
    segment.push(call);
    if (claim.mode === "exclusive") break;
  }
  return segment;
}

/** Two claims that must not run side by side: a barrier, or overlapping paths of which one side writes. */
export function conflicts(a: Claim, b: Claim): boolean {
  if (a.mode === "exclusive" || b.mode === "exclusive") return true;
  if (a.mode === "shared" || b.mode === "shared") return false;
  return touches(a.writes, b.writes) || touches(a.writes, b.reads) || touches(b.writes, a.reads);
}

const touches = (writes: readonly string[], others: readonly string[]): boolean =>
  writes.some((write) => others.some((other) => pathsOverlap(write, other)));

/**
 * One path is the other, or an ancestor of it; compared by whole components, so `a/b` does not touch `a/bc`. An empty
 * path names nothing (hermes.md §14.1).
 */
export const pathsOverlap = (a: string, b: string): boolean =>
  a !== "" && b !== "" && (a === b || isBelow(a, b) || isBelow(b, a));

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
