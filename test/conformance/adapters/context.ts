import { ContextFilter } from "../../../src/model/context-filter.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** `{steps}`, each `{feed}`, `{flush}` or `{reset}`: what each shows (a reset shows nothing), and all of it. */
export function contextScrubberCase(input: Json): unknown {
  let filter = new ContextFilter();
  const steps = listOf(objectOf(input, "input")["steps"], "steps").map((step): string | null => {
    const { feed, flush, reset } = objectOf(step, "step");
    if (feed !== undefined) return filter.pass(textOf(feed, "feed"));
    if (flush === true) return filter.end();
    if (reset !== true) throw new Error("a step that neither feeds, flushes nor resets");
    filter = new ContextFilter();
    return null;
  });
  return { per_step: steps, visible: steps.join("") };
}
