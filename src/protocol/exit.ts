import type { Failure } from "./failure.ts";

/** Every way a turn can end (row J1). Closed: `unknown` does not exist. */
export type ExitReason =
  | "text_response"
  | "partial_stream_recovery"
  | "fallback_prior_turn_content"
  | "budget_exhausted"
  | "max_iterations_reached"
  | "money_limit"
  | "time_limit"
  | "guardrail_halt"
  | "context_overflow"
  | "ollama_runtime_context_too_small"
  | "parked_for_approval"
  | "parked_for_answer"
  | "tool_error"
  | "internal_error"
  | "error_near_max_iterations"
  | "pending_tool_result"
  | "store_unavailable"
  | "empty_response_exhausted"
  | "output_truncated"
  | "thinking_exhausted"
  | "invalid_tool_calls"
  | "no_provider"
  | "content_policy"
  | "schema_unsatisfied"
  | "interrupted_by_user"
  | "interrupted_during_api_call"
  | "all_retries_exhausted_no_response"
  | "request_rejected";

/** Ends without a turn: nothing was asked of a model. */
export type RefusalReason = "usage_error" | "session_not_found" | "session_busy" | "config_invalid";

/** What stopped an interrupted turn; decides between exit codes 130 and 143. */
export type InterruptSource = "user" | "terminate" | "superseded";

interface ExitFacts {
  readonly failure?: (Pick<Failure, "reason"> & Partial<Pick<Failure, "retryable" | "status">>) | undefined;
  readonly interruptedBy?: InterruptSource | undefined;
}

/** Every exit code there is. */
export const EXIT_CODES = [0, 2, 10, 20, 21, 22, 23, 24, 30, 31, 70, 73, 75, 76, 77, 78, 79, 80, 81, 130, 143] as const;
export type ExitCode = (typeof EXIT_CODES)[number];

/** The process exit code of a reason: exactly one for each (row J1). */
export function exitCode(reason: ExitReason | RefusalReason, facts: ExitFacts = {}): ExitCode {
  const fixed = CODES[reason];
  if (typeof fixed === "number") return fixed;
  return fixed === "by-failure" ? codeOfFailure(facts.failure) : facts.interruptedBy === "terminate" ? 143 : 130;
}

const CODES: Readonly<Record<ExitReason | RefusalReason, ExitCode | "by-failure" | "by-interrupt">> = {
  text_response: 0,
  partial_stream_recovery: 10,
  fallback_prior_turn_content: 10,
  budget_exhausted: 20,
  max_iterations_reached: 20,
  money_limit: 21,
  time_limit: 22,
  guardrail_halt: 23,
  context_overflow: 24,
  ollama_runtime_context_too_small: 24,
  parked_for_approval: 30,
  parked_for_answer: 30,
  tool_error: 31,
  internal_error: 70,
  error_near_max_iterations: 70,
  pending_tool_result: 70,
  store_unavailable: 73,
  empty_response_exhausted: 76,
  output_truncated: 76,
  thinking_exhausted: 76,
  invalid_tool_calls: 76,
  no_provider: 78,
  content_policy: 80,
  schema_unsatisfied: 81,
  interrupted_by_user: "by-interrupt",
  interrupted_during_api_call: "by-interrupt",
  all_retries_exhausted_no_response: "by-failure",
  request_rejected: "by-failure",
  usage_error: 2,
  session_not_found: 2,
  session_busy: 75,
  config_invalid: 78,
};

/** The reasons that may end with this code; some take theirs from the last failure, or from what stopped the turn. */
export const reasonsOf = (code: ExitCode): (ExitReason | RefusalReason)[] =>
  REASONS.filter((reason) => {
    const known = CODES[reason];
    if (known === "by-failure") return OF_FAILURES.includes(code);
    return known === "by-interrupt" ? code === 130 || code === 143 : known === code;
  });

const REASONS = Object.keys(CODES) as (ExitReason | RefusalReason)[];
const REFUSALS: ReadonlySet<string> = new Set<RefusalReason>([
  "usage_error",
  "session_not_found",
  "session_busy",
  "config_invalid",
]);
/** Every way a turn can end. */
export const EXIT_REASONS: readonly ExitReason[] = REASONS.filter(
  (reason): reason is ExitReason => !REFUSALS.has(reason),
);
const OF_FAILURES: readonly ExitCode[] = [75, 76, 77, 78, 79];

function codeOfFailure(failure: ExitFacts["failure"]): ExitCode {
  switch (failure?.reason) {
    case "auth":
    case "auth_permanent":
      return 77;
    case "billing":
      return 79;
    case "model_not_found":
      return 78;
    case "format_error":
      return 76;
    // A certificate or a protocol that is wrong at this address stays wrong.
    case "unknown":
      return failure.retryable === false && failure.status === undefined ? 78 : 75;
    default:
      return 75;
  }
}
