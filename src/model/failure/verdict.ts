import type { Failure, FailureReason } from "../../protocol/failure.ts";

export interface Verdict extends Pick<
  Failure,
  "reason" | "retryable" | "shouldCompress" | "shouldRotateCredential" | "shouldFallback"
> {
  readonly rule: string;
}

/** R retry, C compress, K rotate the credential, F fall back to another model (hermes.md §10.2). */
const HINTS: Readonly<Record<FailureReason, string>> = {
  auth: "KF",
  auth_permanent: "F",
  billing: "KF",
  rate_limit: "RKF",
  overloaded: "R",
  server_error: "R",
  timeout: "R",
  context_overflow: "RC",
  payload_too_large: "RC",
  image_too_large: "R",
  model_not_found: "F",
  provider_policy_blocked: "",
  content_policy_blocked: "F",
  format_error: "F",
  invalid_encrypted_content: "R",
  multimodal_tool_content_unsupported: "R",
  thinking_signature: "R",
  long_context_tier: "RC",
  oauth_long_context_beta_forbidden: "R",
  llama_cpp_grammar_pattern: "R",
  unknown: "R",
};

/** `rule`: the name of what decided. */
export function verdict(reason: FailureReason, rule: string, hints: string = HINTS[reason]): Verdict {
  return {
    reason,
    retryable: hints.includes("R"),
    shouldCompress: hints.includes("C"),
    shouldRotateCredential: hints.includes("K"),
    shouldFallback: hints.includes("F"),
    rule,
  };
}
