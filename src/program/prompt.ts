import { join } from "node:path";
import type { PromptMaker } from "../agent/options.ts";
import type { RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { rootFolders } from "../config/folders.ts";
import { isTrusted } from "../config/trust.ts";
import { buildPrompt, type PromptPlaces } from "../context/prompt/build.ts";
import { judgePrompt } from "../context/prompt/restore.ts";
import { skillParts } from "../context/skills/prompt-parts.ts";
import type { BuiltPrompt, PromptState } from "../protocol/prompt.ts";
import type { ProviderFound } from "../protocol/provider.ts";
import type { StoredPrompt } from "../protocol/store.ts";
import type { SkillShelf } from "../protocol/skill.ts";
import type { Tool } from "../protocol/tool.ts";

/** What the program's sessions are told first lies in its user's folders, and in a working folder that is trusted. */
export function promptPlaces(
  { cwd, folders, attended, settings }: Pick<RuntimeOptions, "cwd" | "folders" | "attended" | "settings">,
  io: Io,
): PromptPlaces {
  const roots = rootFolders(io);
  return {
    cwd,
    home: io.home,
    platform: io.platform,
    surface: attended ? "terminal" : "one-shot",
    ownFolders: folders === undefined ? [] : [...new Set([folders.config, roots.config])],
    memoryFolder: settings.notes === false ? undefined : folders && join(folders.data, "memory"),
    isTrusted: (folder) => isTrusted(roots.data, folder),
  };
}

/** Reads the files of these places whenever a prompt is built. */
export const promptMaker = (places: PromptPlaces, shelf: SkillShelf): PromptMaker => ({
  cwd: places.cwd,
  build: async (asked) => buildPrompt(places, { ...asked, skills: await skillParts(shelf, asked) }),
});

/** Tokens; undefined: nobody knows. */
export const windowOf = ({ contextWindow, facts }: ProviderFound): number | undefined =>
  contextWindow ?? facts?.contextWindow;

/** What the model of a session that began now would be told first. */
export const newPrompt = async (
  maker: PromptMaker,
  found: ProviderFound,
  tools: readonly Tool[],
): Promise<BuiltPrompt> =>
  maker.build({
    model: found,
    tools: tools.map(({ name }) => name),
    contextWindow: windowOf(found),
    started: "",
    nowMs: Date.now(),
  });

/** What would become of a stored prompt in the next turn. */
export const judgedPrompt = (
  stored: StoredPrompt,
  { cwd }: Pick<PromptPlaces, "cwd">,
  { model, provider }: ProviderFound,
): PromptState | "present" => judgePrompt(stored, { model: { model, provider }, cwd });
