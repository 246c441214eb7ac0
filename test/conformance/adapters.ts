import { approvalCase, approvalUnsupported } from "./adapters/approval.ts";
import { allowlistCase, allowlistExpectation } from "./adapters/approvals.ts";
import { archiveCase, archiveExpectation, archiveUnsupported } from "./adapters/archive.ts";
import { skillCase, skillExpectation, skillUnsupported } from "./adapters/skill.ts";
import { agentLoopCase, agentLoopUnsupported } from "./adapters/agent-loop.ts";
import {
  anthropicMaxOutputCase,
  anthropicMessagesCase,
  anthropicModelNameCase,
  anthropicRequestCase,
  anthropicTokenCase,
  anthropicToolsCase,
  toolSchemaCase,
} from "./adapters/anthropic.ts";
import { cacheMarkersCase, cachePolicyCase } from "./adapters/cache.ts";
import {
  bedrockExpectation,
  bedrockMessagesCase,
  bedrockRequestCase,
  bedrockResponseCase,
  bedrockStreamCase,
} from "./adapters/bedrock.ts";
import { checkpointRestoreCase } from "./adapters/checkpoint-restore.ts";
import { historyCompactCase, historyCursorCase } from "./adapters/diary.ts";
import {
  naturalEndingCase,
  reasoningEchoCase,
  reasoningExtractCase,
  reasoningTagsCase,
} from "./adapters/chat-quirks.ts";
import { commandCase } from "./adapters/commands.ts";
import {
  dangerousCommandCase,
  hardlineCommandCase,
  securityCommandCase,
  securityCommandExpectation,
  securityCommandUnsupported,
} from "./adapters/command-policy.ts";
import { cronFormatCase, cronNextCase, cronScheduleCase, cronValidateCase } from "./adapters/schedule.ts";
import { completedFlagCase } from "./adapters/completed-flag.ts";
import { contextScrubberCase } from "./adapters/context.ts";
import {
  egressCase,
  egressExpectation,
  ssrfUrlCase,
  urlCase,
  urlExpectation,
  urlUnsupported,
} from "./adapters/egress.ts";
import { explainerActionCase, explainerCase } from "./adapters/explainer.ts";
import {
  contextLimitCase,
  errorClassificationCase,
  errorContextCase,
  errorContextExpectation,
  fallbackClassifyCase,
  retryAfterCase,
  retryAfterHeadersCase,
  retryAfterTextCase,
  retryClassifyCase,
} from "./adapters/failures.ts";
import { destructiveCommandCase, fileMutationCase } from "./adapters/files.ts";
import {
  finishReasonCase,
  geminiFreeTierCase,
  geminiNativeUrlCase,
  geminiRequestCase,
  geminiSchemaCase,
} from "./adapters/gemini.ts";
import { fuzzyPatchCase } from "./adapters/fuzzy-patch.ts";
import { govBudgetCase, govCompactCase, govPipelineCase, govSnipCase, govStripCase } from "./adapters/governance.ts";
import { guardrailConfigCase, guardrailsCase, repeatLookupCase, toolFailureCase } from "./adapters/guardrails.ts";
import {
  alternationCase,
  legalHistoryCase,
  surrogateCase,
  thinkingOnlyCase,
  withoutOrphansCase,
} from "./adapters/history-repair.ts";
import {
  fallbackChainCase,
  fallbackChainMergeCase,
  identityRewriteCase,
  nousRateGuardCase,
  promptStalenessCase,
} from "./adapters/fallback.ts";
import { imageFallbackCase } from "./adapters/image-fallback.ts";
import { mcpCase, mcpExpectation, mcpUnsupported } from "./adapters/mcp.ts";
import { injectCase, injectExpectation, injectUnsupported } from "./adapters/inject.ts";
import { iterationBudgetCase } from "./adapters/iteration-budget.ts";
import { poolAvailableCase, poolCoolDownCase, poolRecoveryCase, poolResetCase } from "./adapters/key-pool.ts";
import {
  availableOutputCase,
  idleTimeoutCase,
  localEndpointCase,
  loopbackCase,
  maxTokensCase,
  streamTimeoutCase,
} from "./adapters/model-limits.ts";
import { pendingTurnCase } from "./adapters/pending-turn.ts";
import {
  argumentsShrinkCase,
  argumentsShrinkExpectation,
  compressionBoundaryCase,
  compressionParamsCase,
  consolidationBoundaryCase,
} from "./adapters/compaction.ts";
import { compressionTriggerCase } from "./adapters/pressure.ts";
import { providerMatchCase } from "./adapters/provider-match.ts";
import { responsesInputCase, responsesResponseCase, responsesToolIdCase } from "./adapters/responses.ts";
import { saveTurnCase } from "./adapters/save-turn.ts";
import { workspaceViolationCase } from "./adapters/outside.ts";
import { trustCase, trustExpectation, trustUnsupported } from "./adapters/trust.ts";
import { subagentCase, subagentExpectation, subagentPartialCase, subagentUnsupported } from "./adapters/children.ts";
import { limitCase, limitExpectation, limitUnsupported } from "./adapters/limit.ts";
import { pathCase, pathExpectation, pathUnsupported } from "./adapters/path.ts";
import { pathsOverlapCase, segmentPlanCase } from "./adapters/segment-plan.ts";
import { imageStripCase, roleAlternationCase } from "./adapters/sent-rows.ts";
import { historySelectCase, legalStartCase, retainSuffixCase } from "./adapters/selection.ts";
import { searchQueryCase } from "./adapters/search-query.ts";
import { sessionKeyCase, sessionTitleCase } from "./adapters/session-name.ts";
import {
  stripThinkCase,
  thinkScrubberCase,
  thinkStreamCase,
  thinkStreamExpectation,
  thinkStripCase,
} from "./adapters/think.ts";
import { shellGuardCase, shellGuardExpectation, shellSegmentsCase } from "./adapters/shell-guard.ts";
import { skillRefsCase, skillValidCase } from "./adapters/skill-names.ts";
import { asciiFallbackCase, runtimeContextCase, saveBoundaryCase } from "./adapters/stored-input.ts";
import { compoundBackgroundCase, execTimeoutCase, exitCodeMeaningCase } from "./adapters/terminal.ts";
import { storedSessionCase, storedSessionExpectation, storedSessionUnsupported } from "./adapters/stored-session.ts";
import { todoStoreCase } from "./adapters/todo-store.ts";
import { childEnvironmentCase, childEnvironmentExpectation } from "./adapters/child-environment.ts";
import { maskSecretCase, redactCase, redactExpectation, redactionCase } from "./adapters/redact.ts";
import { capDelegateCase, dedupToolCallsCase, toolBatchesCase } from "./adapters/tool-batch.ts";
import { backoffCase, overloadBackoffCase, retryRunCase, retryStreamCase } from "./adapters/waits.ts";
import { toolHintCase } from "./adapters/tool-hint.ts";
import {
  shouldExecuteToolsCase,
  toolArgsParseCase,
  toolArgsParseExpectation,
  toolArgsRepairCase,
  toolNameRepairCase,
  toolPrepareCase,
  toolResultEmptyCase,
} from "./adapters/tool-repair.ts";
import { resultSpillCase, untrustedWrapCase } from "./adapters/told-results.ts";
import { turnCase, turnExpectation, turnUnsupported } from "./adapters/turn.ts";
import type { Json } from "./case-file.ts";

/** Connects one area of the recordings to the product. */
export interface Adapter {
  /** Feeds a recorded input to the product and renames what comes back. A throw is a failed case. */
  readonly run: (input: Json) => unknown;
  /** Why this case waits for a part that does not exist yet, or speaks of what is not understood; nothing was run yet. */
  readonly unsupported?: (input: Json, expect: Json) => string | undefined;
  /** Reads the recorded expectation, where it is more than a value to compare with. */
  readonly expectation?: (expect: Json) => Json;
  /** The expectations are sentences, and `unsupported` and `expectation` read them. */
  readonly sentences?: true;
}

export const ADAPTERS: ReadonlyMap<string, Adapter> = new Map<string, Adapter>([
  ["archive", { run: archiveCase, unsupported: archiveUnsupported, expectation: archiveExpectation, sentences: true }],
  ["skill", { run: skillCase, unsupported: skillUnsupported, expectation: skillExpectation, sentences: true }],
  ["allowlist", { run: allowlistCase, expectation: allowlistExpectation }],
  ["approval", { run: approvalCase, unsupported: approvalUnsupported, sentences: true }],
  ["agent_loop", { run: agentLoopCase, unsupported: agentLoopUnsupported }],
  ["alternation_repair", { run: alternationCase }],
  ["anthropic_max_output", { run: anthropicMaxOutputCase }],
  ["anthropic_messages", { run: anthropicMessagesCase }],
  ["anthropic_model_name", { run: anthropicModelNameCase }],
  ["anthropic_oauth_token", { run: anthropicTokenCase }],
  ["anthropic_request", { run: anthropicRequestCase }],
  ["anthropic_tools", { run: anthropicToolsCase }],
  ["ascii_fallback", { run: asciiFallbackCase }],
  ["cache_markers", { run: cacheMarkersCase }],
  ["cache_policy", { run: cachePolicyCase }],
  ["cap_delegate", { run: capDelegateCase }],
  ["checkpoint_restore", { run: checkpointRestoreCase }],
  [
    "command",
    { run: securityCommandCase, unsupported: securityCommandUnsupported, expectation: securityCommandExpectation },
  ],
  ["commands", { run: commandCase }],
  ["compound_background", { run: compoundBackgroundCase }],
  ["exec_timeout", { run: execTimeoutCase }],
  ["exit_code_meaning", { run: exitCodeMeaningCase }],
  ["completed_flag", { run: completedFlagCase }],
  ["env", { run: childEnvironmentCase, expectation: childEnvironmentExpectation, sentences: true }],
  ["mask_secret", { run: maskSecretCase }],
  ["redact", { run: redactCase, expectation: redactExpectation }],
  ["redaction", { run: redactionCase }],
  ["explainer", { run: explainerCase }],
  ["explainer_action", { run: explainerActionCase }],
  ["compression_args_shrink", { run: argumentsShrinkCase, expectation: argumentsShrinkExpectation }],
  ["compression_boundary", { run: compressionBoundaryCase }],
  ["compression_params", { run: compressionParamsCase }],
  ["compression_trigger", { run: compressionTriggerCase }],
  ["consolidation_boundary", { run: consolidationBoundaryCase }],
  ["dangerous_command", { run: dangerousCommandCase }],
  ["dedup_tool_calls", { run: dedupToolCallsCase }],
  ["bedrock_messages", { run: bedrockMessagesCase }],
  ["bedrock_request", { run: bedrockRequestCase }],
  ["bedrock_response", { run: bedrockResponseCase, expectation: bedrockExpectation }],
  ["bedrock_stream", { run: bedrockStreamCase, expectation: bedrockExpectation }],
  ["error_classification", { run: errorClassificationCase }],
  ["error_context", { run: errorContextCase, expectation: errorContextExpectation }],
  ["fallback_chain", { run: fallbackChainCase }],
  ["fallback_chain_merge", { run: fallbackChainMergeCase }],
  ["fallback_classify", { run: fallbackClassifyCase }],
  ["destructive_command", { run: destructiveCommandCase }],
  ["file_mutation", { run: fileMutationCase }],
  ["finish_reason", { run: finishReasonCase }],
  ["fuzzy_patch", { run: fuzzyPatchCase }],
  ["gemini_free_tier", { run: geminiFreeTierCase }],
  ["gemini_native_url", { run: geminiNativeUrlCase }],
  ["gemini_request", { run: geminiRequestCase }],
  ["gemini_schema", { run: geminiSchemaCase }],
  ["gov_backfill", { run: legalHistoryCase }],
  ["gov_budget", { run: govBudgetCase }],
  ["gov_compact", { run: govCompactCase }],
  ["gov_drop_orphans", { run: withoutOrphansCase }],
  ["gov_pipeline", { run: govPipelineCase }],
  ["gov_snip", { run: govSnipCase }],
  ["gov_strip_placeholders", { run: govStripCase }],
  ["guardrail_config", { run: guardrailConfigCase }],
  ["guardrails", { run: guardrailsCase }],
  ["hardline_command", { run: hardlineCommandCase }],
  ["history_compact", { run: historyCompactCase }],
  ["history_cursor", { run: historyCursorCase }],
  ["history_select", { run: historySelectCase }],
  ["identity_rewrite", { run: identityRewriteCase }],
  ["image_fallback", { run: imageFallbackCase }],
  ["image_strip", { run: imageStripCase }],
  ["cron_schedule", { run: cronScheduleCase }],
  ["cron_next", { run: cronNextCase }],
  ["cron_validate", { run: cronValidateCase }],
  ["cron_format", { run: cronFormatCase }],
  ["inject", { run: injectCase, unsupported: injectUnsupported, expectation: injectExpectation, sentences: true }],
  ["iteration_budget", { run: iterationBudgetCase }],
  ["local_endpoint", { run: localEndpointCase }],
  ["loopback_bind", { run: loopbackCase }],
  ["mcp", { run: mcpCase, unsupported: mcpUnsupported, expectation: mcpExpectation, sentences: true }],
  ["max_tokens_param", { run: maxTokensCase }],
  ["memory_context_scrubber", { run: contextScrubberCase }],
  ["parse_available_output", { run: availableOutputCase }],
  ["legal_start", { run: legalStartCase }],
  ["natural_ending", { run: naturalEndingCase }],
  ["orphan_repair", { run: legalHistoryCase }],
  [
    "subagent",
    { run: subagentCase, unsupported: subagentUnsupported, expectation: subagentExpectation, sentences: true },
  ],
  ["subagent_partial", { run: subagentPartialCase }],
  ["trust", { run: trustCase, unsupported: trustUnsupported, expectation: trustExpectation, sentences: true }],
  ["limit", { run: limitCase, unsupported: limitUnsupported, expectation: limitExpectation, sentences: true }],
  ["path", { run: pathCase, unsupported: pathUnsupported, expectation: pathExpectation }],
  ["paths_overlap", { run: pathsOverlapCase }],
  ["pending_turn_restore", { run: pendingTurnCase }],
  ["parse_context_limit", { run: contextLimitCase }],
  ["backoff", { run: backoffCase }],
  ["overload_backoff", { run: overloadBackoffCase }],
  ["retry_after", { run: retryAfterCase }],
  ["retry_after_headers", { run: retryAfterHeadersCase }],
  ["retry_after_text", { run: retryAfterTextCase }],
  ["retry_run", { run: retryRunCase }],
  ["retry_stream", { run: retryStreamCase }],
  ["retry_classify", { run: retryClassifyCase }],
  ["prompt_staleness", { run: promptStalenessCase }],
  ["pool_available", { run: poolAvailableCase }],
  ["pool_cooldown", { run: poolCoolDownCase }],
  ["pool_recovery", { run: poolRecoveryCase }],
  ["pool_reset_parse", { run: poolResetCase }],
  ["provider_match", { run: providerMatchCase }],
  ["reasoning_echo", { run: reasoningEchoCase }],
  ["reasoning_extract", { run: reasoningExtractCase }],
  ["reasoning_tags", { run: reasoningTagsCase }],
  ["repeat_lookup", { run: repeatLookupCase }],
  ["responses_input", { run: responsesInputCase }],
  ["responses_response", { run: responsesResponseCase }],
  ["responses_tool_id", { run: responsesToolIdCase }],
  ["retain_suffix", { run: retainSuffixCase }],
  ["role_alternation", { run: roleAlternationCase }],
  ["runtime_context", { run: runtimeContextCase }],
  ["save_boundary", { run: saveBoundaryCase }],
  ["save_turn", { run: saveTurnCase }],
  ...["shell_allow", "shell_deny", "shell_ssrf", "shell_workspace"].map((area): [string, Adapter] => [
    area,
    { run: shellGuardCase, expectation: shellGuardExpectation },
  ]),
  ["shell_segments", { run: shellSegmentsCase }],
  ["skill_refs", { run: skillRefsCase }],
  ["skill_valid", { run: skillValidCase }],
  [
    "session",
    {
      run: storedSessionCase,
      unsupported: storedSessionUnsupported,
      expectation: storedSessionExpectation,
      sentences: true,
    },
  ],
  ["session_key", { run: sessionKeyCase }],
  ["session_title", { run: sessionTitleCase }],
  ["fts_query_sanitise", { run: searchQueryCase }],
  ["segment_plan", { run: segmentPlanCase }],
  ["stream_idle_timeout", { run: idleTimeoutCase }],
  ["stream_timeouts", { run: streamTimeoutCase }],
  ["should_execute_tools", { run: shouldExecuteToolsCase }],
  ["strip_think", { run: stripThinkCase }],
  ["think_scrubber", { run: thinkScrubberCase }],
  ["think_stream", { run: thinkStreamCase, expectation: thinkStreamExpectation }],
  ["think_strip", { run: thinkStripCase }],
  ["tool_failure_test", { run: toolFailureCase }],
  ["thinking_only", { run: thinkingOnlyCase }],
  ["surrogate_sanitise", { run: surrogateCase }],
  ["todo_store", { run: todoStoreCase }],
  ["tool_args_parse", { run: toolArgsParseCase, expectation: toolArgsParseExpectation }],
  ["tool_args_repair", { run: toolArgsRepairCase }],
  ["tool_batches", { run: toolBatchesCase }],
  ["tool_hint", { run: toolHintCase }],
  ["tool_name_repair", { run: toolNameRepairCase }],
  ["tool_prepare", { run: toolPrepareCase }],
  ["tool_schema_sanitise", { run: toolSchemaCase }],
  ["tool_result_spill", { run: resultSpillCase }],
  ["untrusted_wrap", { run: untrustedWrapCase }],
  ["tool_result_empty", { run: toolResultEmptyCase }],
  ["turn", { run: turnCase, unsupported: turnUnsupported, expectation: turnExpectation }],
  ["nous_rate_guard", { run: nousRateGuardCase }],
  ["ssrf_url", { run: ssrfUrlCase }],
  ["url", { run: urlCase, unsupported: urlUnsupported, expectation: urlExpectation, sentences: true }],
  ["egress", { run: egressCase, expectation: egressExpectation, sentences: true }],
  ["workspace_violation", { run: workspaceViolationCase }],
]);
