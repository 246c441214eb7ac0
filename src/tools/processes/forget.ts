import { endTree } from "../terminal/process-tree.ts";
import { HandleFiles, treeOf } from "./handle.ts";

/** What a dead program left of the background processes of these sessions: those that run are ended. Never rejects. */
export async function forgetProcesses(folder: string, sessionIds: readonly string[]): Promise<void> {
  const files = new HandleFiles(folder);
  for (const handle of files.all().filter(({ sessionId }) => sessionIds.includes(sessionId))) {
    const tree = treeOf(handle);
    if (tree !== undefined) await endTree(tree);
    files.remove(handle);
  }
}
