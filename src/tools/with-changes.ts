import type { ChangePoint, Checkpoints } from "../protocol/checkpoint.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { Sentence } from "../protocol/sentence.ts";
import { type DiskTrace, FailedCall, type ToolContext, type ToolResult } from "../protocol/tool.ts";
import type { Ready } from "./inspect-call.ts";

/** What a receipt lists; a call that changes more is told by a number, and the snapshots know the rest. */
const MOST_LISTED = 200;

/** Keeps what these files are, before something that runs within a call may change them. Never rejects. */
export type Keep = (paths: readonly string[]) => Promise<void>;

interface Around {
  readonly checkpoints: Checkpoints | undefined;
  /** The call needed a yes. */
  readonly asked: boolean;
  /** The call is made on behalf of one that keeps for it. */
  readonly within: Keep | undefined;
}

/**
 * Runs a call between two looks at the files it may change, where anybody keeps them: the first is on the disk before the
 * call begins. What it changed, and what was changed on its behalf, is told with its result, and with its failure too.
 */
export async function withChanges(
  reading: Ready,
  context: ToolContext,
  { checkpoints, asked, within }: Around,
  run: (keep: Keep) => Promise<ToolResult>,
): Promise<ToolResult> {
  const paths = changedBy(reading, asked);
  if (within !== undefined) {
    await within(paths);
    return run(within);
  }
  const at = pointOf(context);
  if (checkpoints === undefined || at === undefined) return run(keepNothing);
  const { keep, trace } = tracing(checkpoints, at);
  await keep(paths);
  try {
    const result = await run(keep);
    const disk = await trace();
    return disk === undefined ? result : { ...result, disk };
  } catch (error) {
    const disk = await trace();
    if (disk === undefined) throw error;
    throw new FailedCall(reasonOf(error), disk, { cause: error });
  }
}

const keepNothing: Keep = () => Promise.resolve();

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

interface Tracing {
  readonly keep: Keep;
  /** What has changed of all that was kept; undefined: nothing is to be told. */
  readonly trace: () => Promise<DiskTrace | undefined>;
}

function tracing(checkpoints: Checkpoints, at: ChangePoint): Tracing {
  const kept: string[] = [];
  const foreign = new Set<string>();
  let unkept: Sentence | undefined;
  return {
    async keep(paths) {
      if (paths.length === 0) return;
      kept.push(...paths);
      const before = await checkpoints.before(paths, at);
      for (const path of before.foreign) foreign.add(path);
      unkept ??= before.unkept;
    },
    async trace() {
      const all = kept.length === 0 ? [] : await checkpoints.after(kept, at);
      if (all.length === 0 && foreign.size === 0 && unkept === undefined) return undefined;
      const more = all.length - MOST_LISTED;
      return {
        changes: all.slice(0, MOST_LISTED),
        ...(more > 0 && { more }),
        ...(foreign.size > 0 && { foreign: [...foreign].slice(0, MOST_LISTED) }),
        ...(unkept !== undefined && { unkept }),
      };
    },
  };
}
