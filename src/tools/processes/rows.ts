import type { BackgroundRow } from "../../protocol/background.ts";
import { membersOf } from "../terminal/process-tree.ts";
import { type Handle, HandleFiles, isOwnerAlive, treeOf } from "./handle.ts";

/** What is written down in a folder of background processes, and which of it runs. Changes nothing, and never throws. */
export const backgroundRows = (folder: string): readonly BackgroundRow[] => new HandleFiles(folder).all().map(rowOf);

function rowOf(handle: Handle): BackgroundRow {
  const { sessionId, id, command, cwd, pid = null, startedMs, owner } = handle;
  const tree = treeOf(handle);
  const isRunning = tree !== undefined && membersOf(tree).length > 0;
  return { sessionId, id, command, cwd, pid, isRunning, startedMs, owner: isOwnerAlive(handle) ? owner.pid : null };
}
