/** When calls that repeat themselves are warned about, and when they stop the turn (row E7, hermes.md §15). Counts of calls. */
export interface Guardrails {
  readonly warnings: boolean;
  /** Off: repeated calls are only warned about. */
  readonly hardStop: boolean;
  /** The same call failed. */
  readonly exactFailureWarnAfter: number;
  readonly exactFailureStopAfter: number;
  /** The same tool failed, with whatever arguments, and never worked in between. */
  readonly sameToolFailureWarnAfter: number;
  readonly sameToolFailureStopAfter: number;
  /** The same read-only call gave the same result. */
  readonly noProgressWarnAfter: number;
  readonly noProgressStopAfter: number;
}

/** Where nobody attends a loop would go on for hundreds of calls, so it is stopped (design §5.10). */
export const UNATTENDED_GUARDRAILS: Guardrails = {
  warnings: true,
  hardStop: true,
  exactFailureWarnAfter: 2,
  exactFailureStopAfter: 5,
  sameToolFailureWarnAfter: 3,
  sameToolFailureStopAfter: 8,
  noProgressWarnAfter: 2,
  noProgressStopAfter: 5,
};

/**
 * What a guardrail says of one call, in the reference's words. The last ones are ours: an effect repeated with one
 * result, rounds of several calls of which none tells anything new, and a call that a person has refused.
 */
export type GuardrailCode =
  | "repeated_exact_failure_warning"
  | "repeated_exact_failure_block"
  | "same_tool_failure_warning"
  | "same_tool_failure_halt"
  | "idempotent_no_progress_warning"
  | "idempotent_no_progress_block"
  | "repeated_call_warning"
  | "repeated_call_block"
  | "nothing_new_warning"
  | "nothing_new_halt"
  | "repeated_denial_halt";

/** Why a guardrail stopped the turn. Names the tool, never its arguments. */
export interface Halt {
  readonly code: GuardrailCode;
  readonly tool: string;
  readonly count: number;
  /** The call that was not run any more, where there is one. */
  readonly callId?: string;
}
