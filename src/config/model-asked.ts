import type { Config } from "./config.ts";
import type { Entry } from "./entry.ts";
import { rootFolders, type Surroundings } from "./folders.ts";
import type { Settings } from "./settings.ts";
import { valueText } from "./values.ts";

/** What was said about the model, and the folder whose own variables may count. */
export interface ModelAsked extends Pick<Settings, "model" | "provider" | "offline" | "providers" | "models"> {
  readonly cwd: string;
  /** What named the provider, where one is named. */
  readonly namedBy: string | undefined;
  /** Folders in which the user's own secrets lie, the nearest first. */
  readonly secrets: readonly string[];
}

/** What the config says of the model. */
export const modelAsked = (
  { settings, entries, folders }: Config,
  around: Omit<Surroundings, "systemFolder">,
  cwd: string,
): ModelAsked => ({
  ...settings,
  // What a variable says of it has been judged with the rest.
  offline: settings.offline === true,
  cwd,
  namedBy: namedBy(entries.get("provider")),
  secrets: [...new Set([folders.config, rootFolders(around).config])],
});

/** A flag is shown as it is typed. */
const namedBy = (entry: Entry | undefined): string | undefined =>
  entry?.place === "--provider" ? `--provider ${valueText(entry.value)}` : entry?.place;
