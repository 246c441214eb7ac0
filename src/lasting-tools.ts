import type { Adapters, RuntimeOptions } from "./cli/adapters.ts";
import type { SkillShelf } from "./protocol/skill.ts";
import type { Tool } from "./protocol/tool.ts";
import { memoryTool } from "./tools/memory.ts";
import { skillTools } from "./tools/skills.ts";

/**
 * What reads and writes what outlives a session; whoever keeps nothing of a session (`limitsFolder`) keeps no note of it
 * and writes no skill either.
 */
export function lastingTools(
  { folders, settings, limitsFolder }: Pick<RuntimeOptions, "folders" | "settings" | "limitsFolder">,
  shelf: SkillShelf,
): Tool[] {
  const keeps = folders !== undefined && limitsFolder !== undefined;
  const notes = keeps && settings.notes !== false ? [memoryTool(() => openNotes(folders))] : [];
  return [...notes, ...skillTools(shelf, { manage: keeps })];
}

/** The notes are opened when somebody looks at them. */
export const openNotes: Adapters["openNotes"] = async (folders) => (await import("./notes.ts")).openNotes(folders);
