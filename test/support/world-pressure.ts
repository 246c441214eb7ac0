import assert from "node:assert/strict";
import { rules } from "../../src/context/compaction/rules.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { Compactor, Summarised, SummaryRequest } from "../../src/protocol/ports.ts";
import { MAX_STRIKES } from "../../src/protocol/window.ts";
import { MAX_PASSES } from "../../src/turn/gauge.ts";
import type { Setup } from "../../src/turn/state.ts";

/** Of how much is sent. */
export interface Pressure {
  /** The models have small windows, and their servers count what they read. */
  readonly small?: boolean;
  /** What becomes of a model's summary of what is left out; absent: there is no model for it. */
  readonly summary?: SummaryEnd | undefined;
}

type SummaryEnd = "said" | "refused";

/** So small that every request is over its threshold, and a few messages do not fit: tokens. */
const SMALL_WINDOW = 4_250;

export const windowOf = ({ small }: Pressure): Pick<Setup, "contextWindow"> =>
  small === true ? { contextWindow: SMALL_WINDOW } : {};

/** Of the system prompt and the tools of the world, tokens. */
export const OVERHEAD = 100;

/** A model that takes its time. */
export const compactorFor = ({ summary: end }: Pressure): Compactor =>
  end === undefined
    ? rules
    : {
        ...rules,
        summarise: (request) =>
          new Promise((resolve) => {
            setImmediate(() => resolve(summarised(request, end)));
          }),
      };

function summarised({ history, compaction }: SummaryRequest, end: SummaryEnd): Summarised {
  const next = end === "said" ? rules.compact({ history, compaction, share: 0.5 }) : undefined;
  if (next === undefined) return { trouble: end };
  return { compaction: next.from > 0 ? { ...next, summary: "What was said before." } : next };
}

/** Less is sent a few times at most between two requests, and never again for pressure once that was of no use. */
export function checkPressure(facts: readonly Fact[], strikes: unknown, label: string): void {
  let passes = 0;
  let inARow = 0;
  for (const [at, fact] of facts.entries()) {
    if (fact.type === "attempt-start") passes = 0;
    if (fact.type === "summary-start")
      assert.ok(inARow < MAX_STRIKES, `${label}: a summary for pressure behind ${inARow} in vain`);
    if (fact.type === "compaction-judged") inARow = fact.strikes;
    if (fact.type !== "history-compacted" && fact.type !== "compaction-failed") continue;
    if (fact.because !== "pressure") continue;
    assert.ok(++passes <= MAX_PASSES + 1, `${label}: ${passes} compactions in a row`);
    assert.ok(inARow < MAX_STRIKES, `${label}: another compaction behind ${inARow} in vain`);
    // Nobody knows the window of a model that it was switched to meanwhile.
    const next = facts.slice(at + 1).find(({ type }) => type === "attempt-start" || type === "model-switched");
    if (fact.type === "history-compacted" && next?.type === "attempt-start")
      assert.ok(next.tokens !== undefined, `${label}: attempt ${next.attempt} was not weighed`);
  }
  assert.equal(strikes, inARow, `${label}: the strikes that are kept`);
}
