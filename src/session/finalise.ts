import type { TurnExtension } from "../protocol/extension.ts";
import type { TurnResult } from "../protocol/result.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { View } from "../turn/state.ts";
import type { Language } from "../words/language.ts";
import { fileFooter } from "../words/turn-files.ts";
import { type Diagnostic, diagnosticOf, windowDiagnostics } from "./diagnostic.ts";

export interface FinaliseContext {
  readonly state: View;
  readonly log: (diagnostic: Diagnostic) => void;
  /** Of what people are told. */
  readonly language: Language;
  /** Hooks and plug-ins, where there are any. */
  readonly extension?: TurnExtension | undefined;
  /** Begins what is done beside the session when its turn has ended; absent: nothing is. */
  readonly background?: ((result: TurnResult) => void) | undefined;
}

export interface FinaliseStep {
  readonly name: string;
  /** Returns what it adds to the result. */
  readonly run: (result: TurnResult, context: FinaliseContext) => Partial<TurnResult> | Promise<Partial<TurnResult>>;
}

/** Row J3: nothing, the placeholder for nothing, or a fragment that does not end like a sentence. */
const FRAGMENT_CHARS = 24;
const ENDS_WELL = /[.!?。！？`)]$/u;
const NOTHING: ReadonlySet<string> = new Set(["", "(empty)"]);

type Explained = Pick<TurnResult, "answer" | "interrupted"> & { readonly exit: Pick<TurnResult["exit"], "explain"> };

function isUsable(answer: string | null): boolean {
  const text = answer?.trim() ?? "";
  return !NOTHING.has(text) && (text.length > FRAGMENT_CHARS || ENDS_WELL.test(text));
}

/** What the explanation does to what is shown; whoever stopped a turn knows why it ended. */
export function explanationAction({ answer, exit, interrupted }: Explained): "keep" | "replace" | "append" {
  if (exit.explain === null || interrupted || isUsable(answer)) return "keep";
  return NOTHING.has(answer?.trim() ?? "") ? "replace" : "append";
}

/** Row E11: said beside the answer, where there is one that somebody waits for; the answer stays the model's own. */
const footer: FinaliseStep = {
  name: "footer",
  run: ({ answer, shown, interrupted }, { state: { files }, language }) => {
    if (NOTHING.has(answer?.trim() ?? "") || interrupted) return {};
    const told = fileFooter({ failed: [...files.failed], foreign: [...files.foreign] });
    return told === undefined ? {} : { shown: `${(shown ?? answer)?.trimEnd()}\n\n${told[language]}` };
  },
};

const explanation: FinaliseStep = {
  name: "explanation",
  run: (result) => {
    switch (explanationAction(result)) {
      case "keep":
        return {};
      case "replace":
        return { shown: result.exit.explain };
      case "append":
        return { shown: `${(result.shown ?? result.answer)?.trim()}\n\n${result.exit.explain}` };
    }
  },
};

const diagnostic: FinaliseStep = {
  name: "diagnostic",
  run: (result, { state, log }) => {
    for (const each of windowDiagnostics(state, result.sessionId ?? "")) log(each);
    log(diagnosticOf(state, result));
    return {};
  },
};

/** The turn only waits for a person: neither its answer nor its end has come. */
const isWaiting = ({ waitingFor }: TurnResult): boolean => waitingFor.length > 0;

const hooks: FinaliseStep = {
  name: "hooks",
  run: async (result, { extension }) => ({ shown: (await extension?.afterLoop(result)) ?? null }),
};

const transformOutput: FinaliseStep = {
  name: "transformOutput",
  run: async (result, { extension }) =>
    result.interrupted || isWaiting(result) ? {} : { shown: (await extension?.transformOutput(result)) ?? null },
};

const afterAnswer: FinaliseStep = {
  name: "afterAnswer",
  run: async (result, { extension }) => {
    if (result.answer !== null && !result.interrupted) await extension?.afterAnswer(result);
    return {};
  },
};

/** Nobody waits for it. */
const background: FinaliseStep = {
  name: "background",
  run: (result, context) => {
    context.background?.(result);
    return {};
  },
};

const onSessionEnd: FinaliseStep = {
  name: "onSessionEnd",
  run: async (result, { extension }) => {
    if (!isWaiting(result)) await extension?.sessionEnd(result);
    return {};
  },
};

const troubles: FinaliseStep = {
  name: "troubles",
  run: ({ cleanupErrors }, { extension }) => ({ cleanupErrors: [...cleanupErrors, ...(extension?.troubles() ?? [])] }),
};

/**
 * In the order of row J5. Before the first one the grace call was made and the turn is saved, and its result has what the
 * model thought and what nobody took of what was said to it.
 */
export const FINALISE_STEPS: readonly FinaliseStep[] = [diagnostic, footer, explanation, background];

/** The same, with what hooks and plug-ins do at the end of a turn. */
export const EXTENDED_STEPS: readonly FinaliseStep[] = [
  hooks,
  diagnostic,
  footer,
  explanation,
  transformOutput,
  afterAnswer,
  background,
  onSessionEnd,
  troubles,
];

/** Every way out passes here (design §5.3). A step that throws is named in `cleanupErrors` and loses nothing. */
export async function finalise(
  result: TurnResult,
  context: FinaliseContext,
  steps: readonly FinaliseStep[] = context.extension === undefined ? FINALISE_STEPS : EXTENDED_STEPS,
): Promise<TurnResult> {
  let finished = result;
  for (const step of steps) {
    try {
      finished = { ...finished, ...(await step.run(finished, context)) };
    } catch (error) {
      const why = reasonOf(error);
      finished = { ...finished, cleanupErrors: [...finished.cleanupErrors, `${step.name}: ${why}`] };
    }
  }
  return finished;
}
