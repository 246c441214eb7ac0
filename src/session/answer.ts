import type { Grant, RuleBook, Scope } from "../protocol/approval.ts";
import type { Fact } from "../protocol/fact.ts";
import type { WaitingCall } from "../protocol/outcome.ts";
import { answerMeant } from "../protocol/question.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { decisionOf } from "../turn/purse.ts";
import type { View } from "../turn/state.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** What a person says to a call that waits. */
export interface Answer {
  readonly allow: boolean;
  /** How far a yes reaches: this very call when absent. */
  readonly scope?: Scope | undefined;
}

/** What a person says to a question. */
export const wordsFact = ({ callId, question }: WaitingCall, said: string): Fact => ({
  type: "question-answered",
  callId,
  text: question === undefined ? said : answerMeant(question, said.toWellFormed().replaceAll("\0", "")),
});

/** Whether these words name the call: by its own id, or by that of this very question. */
export const isNamed = ({ callId, approvalId }: WaitingCall, id: string): boolean => id === approvalId || id === callId;

/**
 * The rules that "always" would write, none that hold already; empty: there is none to write. A call is allowed by rules
 * only where each of its parts is, so from one with a part that no rule may cover nothing is learnt.
 */
export function grantsOf({ plan }: WaitingCall, rules: RuleBook | undefined, sessionId: string): readonly Grant[] {
  const parts = plan?.parts ?? [];
  if (rules === undefined || parts.some((part) => part.grant === undefined)) return [];
  const open = parts.filter((part) => rules.covers([part], sessionId) === undefined);
  const byText = new Map(open.flatMap(({ grant }) => (grant ? [[JSON.stringify(grant), grant] as const] : [])));
  return [...byText.values()];
}

/** The answer as it is kept. */
export const answerFact = (
  state: View,
  { callId }: WaitingCall,
  { allow, scope, atMs }: Answer & { readonly atMs: number },
): Fact => decisionOf(state, callId, { allow, scope, atMs });

interface Learning {
  readonly rules?: RuleBook | undefined;
  readonly sessionId: string;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** Writes what a yes was meant for beside this call. The answer holds even where that cannot be kept. */
export async function learnFrom(
  grants: readonly Grant[],
  { allow, scope }: Answer,
  { rules, sessionId, log }: Learning,
): Promise<void> {
  if (!allow || scope === undefined || grants.length === 0) return;
  try {
    await rules?.learn(grants, scope, sessionId);
  } catch (error) {
    const fields = { event: "rules", session: sessionId };
    log({ level: "warn", line: `what was allowed for good could not be kept: ${reasonOf(error)}`, fields });
  }
}
