import type { ExitReason, RefusalReason } from "../protocol/exit.ts";

/** What a person is told when a turn ends otherwise than with an answer: cause first, then what helps (rows J3, X1). */
export interface ExitWords {
  readonly explain: string;
  /** What to do next; `command` is for a shell, with `{session}` standing for the session's id. */
  readonly next: readonly { readonly do: string; readonly text: string; readonly command: string | null }[];
}

const RETRY = {
  do: "retry",
  text: "Ask again in the same session.",
  command: 'evander -p "continue" --resume {session}',
};
const EXPLAIN = { do: "explain", text: "See what happened, step by step.", command: "evander turn explain last" };
const RESUME = {
  do: "resume",
  text: "Go on with this very turn.",
  command: "evander session resume {session} --continue",
};

/** English sentences for every end that is not a plain answer; keyed by exit reason. */
export const EXIT_WORDS: Readonly<Record<Exclude<ExitReason | RefusalReason, "text_response">, ExitWords>> = {
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
    next: [{ ...RESUME, text: "Go on and answer the question at the terminal." }],
  },
  parked_for_answer: { explain: "The turn stands still until somebody answers a question.", next: [RESUME] },
  tool_error: { explain: "A tool failed, and this turn was told to stop at the first failure.", next: [EXPLAIN] },
  internal_error: { explain: "A defect of Evander stopped the turn; what was done is kept.", next: [EXPLAIN, RETRY] },
  error_near_max_iterations: { explain: "An error came up close to the iteration limit.", next: [EXPLAIN] },
  pending_tool_result: { explain: "The turn ended while a tool's answer was still open.", next: [EXPLAIN] },
  store_unavailable: {
    explain:
      "The session could not be saved, so the turn was stopped: nothing that happened is unsaved but the last step.",
    next: [{ do: "check-disk", text: "Check free space and permissions of the state folder.", command: null }, RETRY],
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
  all_retries_exhausted_no_response: { explain: "The model could not be reached, after several tries.", next: [RETRY] },
  request_rejected: {
    explain: "The provider rejected the request; trying again would not change that.",
    next: [EXPLAIN],
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
    next: [{ do: "help", text: "See the settings.", command: "evander --help" }],
  },
};
