import type { TurnResult } from "../protocol/result.ts";
import type { View } from "../turn/state.ts";
import { type Diagnostic, diagnosticOf } from "./diagnostic.ts";

export interface FinaliseContext {
  readonly state: View;
  readonly log: (diagnostic: Diagnostic) => void;
}

export interface FinaliseStep {
  readonly name: string;
  /** Returns what it adds to the result. */
  readonly run: (result: TurnResult, context: FinaliseContext) => Partial<TurnResult>;
}

/** Row J3: nothing, the placeholder for nothing, or a fragment that does not end like a sentence. */
const FRAGMENT_CHARS = 24;
const ENDS_WELL = /[.!?。！？`)]$/u;

function isUsable(answer: string | null): boolean {
  const text = answer?.trim() ?? "";
  if (text === "" || text === "(empty)") return false;
  return text.length > FRAGMENT_CHARS || ENDS_WELL.test(text);
}

const explanation: FinaliseStep = {
  name: "explanation",
  run: (result) => {
    const { explain, reason } = result.exit;
    if (explain === null || reason === "text_response" || isUsable(result.answer)) return {};
    const text = result.answer?.trim() ?? "";
    return { shown: text === "" || text === "(empty)" ? explain : `${text}\n\n${explain}` };
  },
};

const diagnostic: FinaliseStep = {
  name: "diagnostic",
  run: (result, { state, log }) => {
    log(diagnosticOf(state, result));
    return {};
  },
};

/** The steps that exist, in the order of row J5; the turn is saved before the first one runs. */
export const FINALISE_STEPS: readonly FinaliseStep[] = [diagnostic, explanation];

/** Every way out passes here (design §5.3). A step that throws is named in `cleanupErrors` and loses nothing. */
export function finalise(
  result: TurnResult,
  context: FinaliseContext,
  steps: readonly FinaliseStep[] = FINALISE_STEPS,
): TurnResult {
  let finished = result;
  for (const step of steps) {
    try {
      finished = { ...finished, ...step.run(finished, context) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      finished = { ...finished, cleanupErrors: [...finished.cleanupErrors, `${step.name}: ${why}`] };
    }
  }
  return finished;
}
