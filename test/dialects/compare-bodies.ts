import { isObject } from "./shape.ts";

/** A difference that is meant. */
export interface Allowed {
  /** Of the place, e.g. `messages[0].content[1].cache_control`. */
  readonly place: RegExp;
  readonly why: string;
  /** Which differences there; absent: all. */
  readonly if?: (ours: unknown, theirs: unknown) => boolean;
}

export interface Difference {
  readonly place: string;
  /** JSON, shortened; undefined: not there. */
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

/** Where two bodies say something else, apart from what is allowed to differ. */
export function compareBodies(ours: unknown, theirs: unknown, allowed: readonly Allowed[]): readonly Difference[] {
  return pairsOf(ours, theirs, "")
    .filter(
      ({ place, values: [our, their] }) =>
        !allowed.some((each) => each.place.test(place) && (each.if?.(our, their) ?? true)),
    )
    .map(({ place, values: [our, their] }) => ({ place, ours: shown(our), theirs: shown(their) }));
}

interface Pair {
  readonly place: string;
  readonly values: readonly [ours: unknown, theirs: unknown];
}

function pairsOf(ours: unknown, theirs: unknown, place: string): readonly Pair[] {
  if (isObject(ours) && isObject(theirs)) {
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    return keys.flatMap((key) => pairsOf(ours[key], theirs[key], place === "" ? key : `${place}.${key}`));
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const length = Math.max(ours.length, theirs.length);
    return Array.from({ length }, (_, at) => pairsOf(ours[at], theirs[at], `${place}[${at}]`)).flat();
  }
  return Object.is(ours, theirs) ? [] : [{ place, values: [ours, theirs] }];
}

const shown = (value: unknown): string | undefined => JSON.stringify(value)?.slice(0, 120);
