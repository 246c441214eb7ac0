import { checkpointRestoreCase } from "./adapters/checkpoint-restore.ts";
import { completedFlagCase } from "./adapters/completed-flag.ts";
import { iterationBudgetCase } from "./adapters/iteration-budget.ts";
import { saveTurnCase } from "./adapters/save-turn.ts";
import { pathsOverlapCase, segmentPlanCase } from "./adapters/segment-plan.ts";
import type { Json } from "./case-file.ts";

/** Feeds one recorded input to the product and renames what comes back. A throw is a failed case. */
export type Adapter = (input: Json) => unknown;

export const ADAPTERS: ReadonlyMap<string, Adapter> = new Map<string, Adapter>([
  ["checkpoint_restore", checkpointRestoreCase],
  ["completed_flag", completedFlagCase],
  ["iteration_budget", iterationBudgetCase],
  ["paths_overlap", pathsOverlapCase],
  ["save_turn", saveTurnCase],
  ["segment_plan", segmentPlanCase],
]);
