import type { ModelFacts } from "../protocol/model-facts.ts";
import { type Effort, EFFORTS } from "../protocol/provider.ts";

/** The levels that a model can think at, each with its provider's word. */
export type ThinkingWords = NonNullable<ModelFacts["thinking"]>;

/** The provider's word for a level, or for the nearest that the model knows, the lower of two; undefined: it knows none. */
export function nearestWord(effort: Effort, words: ThinkingWords): string | undefined {
  const wanted = EFFORTS.indexOf(effort);
  const [nearest] = EFFORTS.filter((level) => words[level] !== undefined).toSorted(
    (a, b) => Math.abs(EFFORTS.indexOf(a) - wanted) - Math.abs(EFFORTS.indexOf(b) - wanted),
  );
  return nearest && words[nearest];
}
