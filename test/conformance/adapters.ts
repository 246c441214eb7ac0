import { checkpointRestoreCase } from "./adapters/checkpoint-restore.ts";
import { completedFlagCase } from "./adapters/completed-flag.ts";
import { explainerActionCase, explainerCase } from "./adapters/explainer.ts";
import { iterationBudgetCase } from "./adapters/iteration-budget.ts";
import { availableOutputCase, localEndpointCase, maxTokensCase, streamTimeoutCase } from "./adapters/model-limits.ts";
import { saveTurnCase } from "./adapters/save-turn.ts";
import { pathsOverlapCase, segmentPlanCase } from "./adapters/segment-plan.ts";
import {
  stripThinkCase,
  thinkScrubberCase,
  thinkStreamCase,
  thinkStreamExpectation,
  thinkStripCase,
} from "./adapters/think.ts";
import type { Json } from "./case-file.ts";

/** Connects one area of the recordings to the product. */
export interface Adapter {
  /** Feeds a recorded input to the product and renames what comes back. A throw is a failed case. */
  readonly run: (input: Json) => unknown;
  /** Reads the recorded expectation, where it is more than a value to compare with. */
  readonly expectation?: (expect: Json) => Json;
}

export const ADAPTERS: ReadonlyMap<string, Adapter> = new Map<string, Adapter>([
  ["checkpoint_restore", { run: checkpointRestoreCase }],
  ["completed_flag", { run: completedFlagCase }],
  ["explainer", { run: explainerCase }],
  ["explainer_action", { run: explainerActionCase }],
  ["iteration_budget", { run: iterationBudgetCase }],
  ["local_endpoint", { run: localEndpointCase }],
  ["max_tokens_param", { run: maxTokensCase }],
  ["parse_available_output", { run: availableOutputCase }],
  ["paths_overlap", { run: pathsOverlapCase }],
  ["save_turn", { run: saveTurnCase }],
  ["segment_plan", { run: segmentPlanCase }],
  ["stream_timeouts", { run: streamTimeoutCase }],
  ["strip_think", { run: stripThinkCase }],
  ["think_scrubber", { run: thinkScrubberCase }],
  ["think_stream", { run: thinkStreamCase, expectation: thinkStreamExpectation }],
  ["think_strip", { run: thinkStripCase }],
]);
