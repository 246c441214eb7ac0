import type { Adapters, RuntimeOptions } from "../cli/adapters.ts";
import type { Proposed } from "../cli/proposals.ts";
import type { NoteAnswer, NoteBook } from "../protocol/memory.ts";
import type { SkillAnswer, SkillShelf } from "../protocol/skill.ts";
import type { Tool } from "../protocol/tool.ts";
import { memoryTool } from "../tools/memory.ts";
import { sessionSearchTool, type Summarise } from "../tools/session-search.ts";
import { skillTools } from "../tools/skills.ts";

type Lasting = Pick<RuntimeOptions, "folders" | "settings" | "limitsFolder" | "proposed"> &
  Partial<Pick<RuntimeOptions, "store">>;
type Tell = RuntimeOptions["proposed"];

/**
 * What reads and writes what outlives a session; whoever keeps nothing of a session (`limitsFolder`) keeps no note of it,
 * writes no skill and knows of no other session either.
 */
export function lastingTools(
  { folders, settings, limitsFolder, proposed, store }: Lasting,
  shelf: SkillShelf,
  summarise?: Summarise,
): Tool[] {
  const keeps = folders !== undefined && limitsFolder !== undefined;
  const notes =
    keeps && settings.notes !== false ? [memoryTool(async () => tellingBook(await openNotes(folders), proposed))] : [];
  const earlier = keeps && store !== undefined ? [sessionSearchTool(store, summarise)] : [];
  return [...notes, ...earlier, ...skillTools(tellingShelf(shelf, proposed), { manage: keeps })];
}

const tellingBook = (book: NoteBook, tell: Tell): NoteBook => ({
  ...book,
  change: async (change, author, tainted) => told("memory", await book.change(change, author, tainted), tell),
});

const tellingShelf = (shelf: SkillShelf, tell: Tell): SkillShelf => ({
  ...shelf,
  change: async (change, author, tainted) => told("skill", await shelf.change(change, author, tainted), tell),
});

/** Of a change that has begun to wait somebody is told. */
function told<T extends NoteAnswer | SkillAnswer>(of: Proposed["of"], answer: T, tell: Tell): T {
  if (answer.type === "proposed") tell?.({ of, id: answer.id });
  return answer;
}

/** The notes are opened when somebody looks at them. */
export const openNotes: Adapters["openNotes"] = async (folders) => (await import("./notes.ts")).openNotes(folders);
