import type { Adapters, RuntimeOptions } from "./cli/adapters.ts";
import type { Tool } from "./protocol/tool.ts";
import { memoryTool } from "./tools/memory.ts";

/** What writes for later sessions; whoever keeps nothing of a session (`limitsFolder`) keeps no note of it either. */
export const lastingTools = ({
  folders,
  settings,
  limitsFolder,
}: Pick<RuntimeOptions, "folders" | "settings" | "limitsFolder">): Tool[] =>
  folders === undefined || limitsFolder === undefined || settings.notes === false
    ? []
    : [memoryTool(() => openNotes(folders))];

/** The notes are opened when somebody looks at them. */
export const openNotes: Adapters["openNotes"] = async (folders) => (await import("./notes.ts")).openNotes(folders);
