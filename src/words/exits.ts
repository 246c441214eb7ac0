import type { ExitReason, RefusalReason } from "../protocol/exit.ts";
import type { Failure } from "../protocol/failure.ts";
import { failureWords } from "./failures.ts";
import { EXPLAIN, RESUME, RETRY, type Step } from "./steps.ts";

/** Ends whose words are those of the failure that brought them. */
type FailedExit = "all_retries_exhausted_no_response" | "request_rejected";

/** What a person is told when a turn ends otherwise than with an answer: cause first, then what helps (rows J3, X1). */
export interface ExitWords {
  readonly explain: string;
  readonly next: readonly Step[];
}

/** English sentences for every end that is not a plain answer; keyed by exit reason. */
const EXIT_WORDS: Readonly<Record<Exclude<ExitReason | RefusalReason, "text_response" | FailedExit>, ExitWords>> = {
  partial_stream_recovery: {
    explain: "The connection broke while the model was answering; the text is what had arrived.",
    next: [RETRY],
  },
  fallback_prior_turn_content: {
    explain: "The model's last reply was empty; the text is what it had said before its last step.",
    next: [RETRY],
  },
  budget_exhausted: { explain: "The shared iteration budget is used up.", next: [RETRY] },
  max_iterations_reached: {
    explain:
      "The iteration limit was reached before the work was done; the text is the model's summary, if it gave one.",
    next: [{ ...RETRY, do: "continue", text: "Let it go on; a higher --max-iterations gives it more room." }],
  },
  money_limit: { explain: "The money limit of this turn was reached.", next: [EXPLAIN] },
  time_limit: { explain: "The time limit of this turn was reached.", next: [RETRY] },
  guardrail_halt: { explain: "The model repeated itself without progress and was stopped.", next: [EXPLAIN] },
  context_overflow: {
    explain: "The conversation no longer fits the model's context window.",
    next: [{ do: "new-session", text: "Start a new session, or use a model with a larger window.", command: null }],
  },
  ollama_runtime_context_too_small: {
    explain: "The local server loaded the model with a context window too small for the tools.",
    next: [{ do: "configure", text: "Load the model with a larger context window.", command: null }],
  },
  parked_for_approval: {
    explain: "The turn stands still until somebody allows or denies a tool call.",
    next: [
      { ...RESUME, text: "Go on, and answer the question at a terminal." },
      { ...RESUME, do: "allow", text: "Go on, and allow every call.", command: `${RESUME.command} --approve all` },
    ],
  },
  parked_for_answer: { explain: "The turn stands still until somebody answers a question.", next: [RESUME] },
  tool_error: { explain: "A tool failed, and this turn was told to stop at the first failure.", next: [EXPLAIN] },
  internal_error: { explain: "A defect of Evander stopped the turn; what was done is kept.", next: [EXPLAIN, RETRY] },
  error_near_max_iterations: { explain: "An error came up close to the iteration limit.", next: [EXPLAIN] },
  pending_tool_result: { explain: "The turn ended while a tool's answer was still open.", next: [EXPLAIN] },
  store_unavailable: {
    explain:
      "The session could not be saved, so the turn was stopped: nothing that happened is unsaved but the last step.",
    next: [RETRY],
  },
  empty_response_exhausted: {
    explain: "The model answered with nothing, several times.",
    next: [RETRY, { do: "switch-model", text: "Try another model with --model.", command: null }],
  },
  output_truncated: {
    explain: "The answer was cut off at the model's output limit.",
    next: [{ ...RETRY, do: "continue", text: "Let it continue." }],
  },
  thinking_exhausted: { explain: "The model used its whole output for thinking.", next: [RETRY] },
  invalid_tool_calls: { explain: "The model kept asking for tools that do not exist.", next: [RETRY] },
  no_provider: { explain: "No model is configured.", next: [] },
  content_policy: { explain: "The provider refused this content; asking again would not change that.", next: [] },
  schema_unsatisfied: { explain: "The answer did not fit the schema it was asked to fit.", next: [RETRY] },
  interrupted_by_user: { explain: "Stopped before the turn was done.", next: [RETRY] },
  interrupted_during_api_call: {
    explain: "Stopped while the model was answering; what had arrived is kept.",
    next: [RETRY],
  },
  usage_error: {
    explain: "The command line was not understood.",
    next: [{ do: "help", text: "See the options.", command: "evander --help" }],
  },
  session_not_found: {
    explain: "There is no such session.",
    next: [{ do: "list", text: "See which sessions there are.", command: "evander session list" }],
  },
  session_busy: {
    explain: "Another process is working in this session.",
    next: [{ do: "new-session", text: "Ask without --resume, or wait for it to finish.", command: null }],
  },
  config_invalid: {
    explain: "A setting is not valid.",
    next: [
      { do: "help", text: "See every setting and what it takes, at the end of the help.", command: "evander --help" },
    ],
  },
};

/** How a turn came to its end, as far as the words depend on it. */
export interface Course {
  readonly failure?: Failure | undefined;
  /** Calls that failed in the last iteration. */
  readonly tries?: number;
  /** There is text to show. */
  readonly answered?: boolean;
}

const NOTHING_ARRIVED: ExitWords = { explain: "Stopped while the model was being asked.", next: [RETRY] };

/** The words for an end; undefined for a plain answer. */
export function exitWords(reason: ExitReason | RefusalReason, course: Course = {}): ExitWords | undefined {
  switch (reason) {
    case "text_response":
      return undefined;
    case "all_retries_exhausted_no_response":
    case "request_rejected":
      return course.failure === undefined
        ? { explain: "The model could not be asked.", next: [EXPLAIN] }
        : failureWords(course.failure, course.tries ?? 1);
    case "interrupted_during_api_call":
      return course.answered === false ? NOTHING_ARRIVED : EXIT_WORDS[reason];
    default:
      return EXIT_WORDS[reason];
  }
}
