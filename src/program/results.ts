import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RuntimeOptions } from "../cli/adapters.ts";
import { forgetFiles } from "./checkpoints.ts";
import type { ResultFiles } from "../protocol/result-file.ts";
import type { Store } from "../protocol/store.ts";
import { processFolder } from "./terminal.ts";

export interface KeptResults {
  readonly files: ResultFiles;
  readonly folder: string;
  /** What a run that keeps nothing has written goes. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Beside the sessions; of a run that keeps nothing (no `limitsFolder`) in a folder that goes with it. */
export function keptResults({
  limitsFolder,
  settings,
}: Pick<RuntimeOptions, "limitsFolder" | "settings">): KeptResults {
  const folder =
    limitsFolder === undefined ? join(tmpdir(), `evander-results-${randomUUID()}`) : resultsBeside(limitsFolder);
  const files: ResultFiles = {
    ...settings.results,
    keep: async (text, of) => (await import("../tools/results/result-files.ts")).resultFiles({ folder }).keep(text, of),
  };
  const close = async (): Promise<void> => {
    if (limitsFolder === undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  };
  return { files, folder, close };
}

/** What a session, and those that were made for it, have kept goes with it. */
export const forgetting = (store: Store, folder: string): Store => ({
  ...store,
  remove: async (sessionId) => {
    const family = familyOf(store, sessionId);
    const isRemoved = await store.remove(sessionId);
    if (isRemoved) {
      const { removeResults } = await import("../tools/results/result-files.ts");
      for (const id of family) await removeResults(resultsBeside(folder), id);
      await forgetFiles(folder, family);
      await (await import("../tools/processes/forget.ts")).forgetProcesses(processFolder(folder), family);
    }
    return isRemoved;
  },
});

const familyOf = (store: Store, sessionId: string): string[] => [
  sessionId,
  ...store.children(sessionId).flatMap((child) => familyOf(store, child.sessionId)),
];

const resultsBeside = (storeFolder: string): string => join(storeFolder, "results");
