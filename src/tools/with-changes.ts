import type { Before, ChangePoint, Checkpoints } from "../protocol/checkpoint.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { type DiskTrace, FailedCall, type ToolContext, type ToolResult } from "../protocol/tool.ts";
import type { Ready } from "./inspect-call.ts";

/** What a receipt lists; a call that changes more is told by a number, and the snapshots know the rest. */
const MOST_LISTED = 200;

/**
 * Runs a call between two looks at the files it may change, where anybody keeps them: the first is on the disk before the
 * call begins. What it changed is told with its result, and with its failure too.
 */
export async function withChanges(
  reading: Ready,
  context: ToolContext,
  { checkpoints, asked, run }: Around,
): Promise<ToolResult> {
  const at = pointOf(context);
  const paths = checkpoints === undefined || at === undefined ? [] : changedBy(reading, asked);
  if (checkpoints === undefined || at === undefined || paths.length === 0) return run();
  const before = await checkpoints.before(paths, at);
  try {
    const result = await run();
    const disk = await traceOf(checkpoints, paths, { at, before });
    return disk === undefined ? result : { ...result, disk };
  } catch (error) {
    const disk = await traceOf(checkpoints, paths, { at, before });
    if (disk === undefined) throw error;
    throw new FailedCall(reasonOf(error), disk, { cause: error });
  }
}

interface Around {
  readonly checkpoints: Checkpoints | undefined;
  /** The call needed a yes. */
  readonly asked: boolean;
  readonly run: () => Promise<ToolResult>;
}

/** A run from plain data has no turn to undo. */
function pointOf({ sessionId, turnId, iteration, callId }: ToolContext): ChangePoint | undefined {
  return turnId === undefined ? undefined : { sessionId, turnId, iteration: iteration ?? 0, callId };
}

/** What cannot be told beforehand is not kept: the call itself says what is wrong with its input. */
function changedBy({ tool, input }: Ready, asked: boolean): readonly string[] {
  try {
    return tool.changes?.(input, { asked }) ?? [];
  } catch {
    return [];
  }
}

interface Trace {
  readonly at: ChangePoint;
  readonly before: Before;
}

async function traceOf(
  checkpoints: Checkpoints,
  paths: readonly string[],
  { at, before: { unkept, foreign } }: Trace,
): Promise<DiskTrace | undefined> {
  const all = await checkpoints.after(paths, at);
  if (all.length === 0 && foreign.length === 0 && unkept === undefined) return undefined;
  const more = all.length - MOST_LISTED;
  return {
    changes: all.slice(0, MOST_LISTED),
    ...(more > 0 && { more }),
    ...(foreign.length > 0 && { foreign: foreign.slice(0, MOST_LISTED) }),
    ...(unkept !== undefined && { unkept }),
  };
}
