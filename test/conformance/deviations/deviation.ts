import type { Json } from "../case-file.ts";

/**
 * Where our answer is meant to differ from the recorded one. A rule looks at the input and the shape of the expectation,
 * never at an id, and is reported only when our output equals what `ours` states.
 */
export interface Deviation {
  readonly area: string;
  readonly applies: (input: Json, expect: Json) => boolean;
  /** What our output must equal then, in the form of an expectation. */
  readonly ours: (input: Json, expect: Json) => Json;
  readonly reason: string;
  /** The line of the specification that decides. */
  readonly spec: string;
}
