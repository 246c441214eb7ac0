/** How far work is given on (security.md §3.10, bug report SUB-01). */
export interface ChildLimits {
  /** Model calls of one child. */
  readonly iterations: number;
  /** Tasks of one call. */
  readonly parallel: number;
  /** 1: a child has none of its own. */
  readonly depth: number;
  /** How long a child may run in one go, ms; absent: as long as it takes. */
  readonly timeoutMs?: number | undefined;
}

/** Row 26 of hermes.md §1, and §16. */
export const CHILD_LIMITS: ChildLimits = { iterations: 250, parallel: 3, depth: 1 };

/** Children that live at once in all of a turn (security.md §3.10). */
const MOST_LIVE = 4;
/** Children that one turn may start, one after the other, theirs among them. */
const MOST_STARTED = 30;

/** The children of one turn, and of theirs. */
export interface Brood {
  live: number;
  started: number;
}

/** Why so many more may not be started, naming the cap; undefined: they may. */
export function refusedBy({ live, started }: Brood, more: number, { parallel }: ChildLimits): string | undefined {
  const once = "Do the rest yourself, or give fewer tasks.";
  if (more > parallel)
    return `Not started: one call gives at most ${parallel} tasks to child agents, and this one has ${more}. ${once}`;
  if (live + more > Math.max(MOST_LIVE, parallel))
    return `Not started: at most ${Math.max(MOST_LIVE, parallel)} child agents run at once, and ${live} do. ${once}`;
  if (started + more > MOST_STARTED)
    return `Not started: one turn starts at most ${MOST_STARTED} child agents, and this one has started ${started}. ${once}`;
  return undefined;
}
