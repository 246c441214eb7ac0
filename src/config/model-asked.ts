import { PRACTICE } from "../protocol/provider.ts";
import type { Config } from "./config.ts";
import { type Entry, LAYERS } from "./entry.ts";
import { rootFolders, type Surroundings } from "./folders.ts";
import type { Settings } from "./settings.ts";
import { valueText } from "./values.ts";

/** What was said about the model, and the folder whose own variables may count. */
export interface ModelAsked extends Pick<Settings, "model" | "provider" | "offline" | "providers" | "models"> {
  readonly cwd: string;
  /** What named the provider, where one is named. */
  readonly namedBy: string | undefined;
  /** The model was named by something stronger than what pinned the provider. */
  readonly providerYields: boolean;
  /** Folders in which the user's own secrets lie, the nearest first. */
  readonly secrets: readonly string[];
  /** The folder of credentials.json. */
  readonly keyFolder: string;
}

/** What the config says of the model. */
export const modelAsked = (
  { settings, entries, folders }: Config,
  around: Omit<Surroundings, "systemFolder">,
  cwd: string,
): ModelAsked => ({
  ...withoutOutweighed(settings, entries),
  // What a variable says of it has been judged with the rest.
  offline: settings.offline === true,
  cwd,
  keyFolder: folders.state,
  namedBy: namedBy(entries.get("provider")),
  providerYields: providerYields(entries),
  secrets: [...new Set([folders.config, rootFolders(around).config])],
});

/** The practice model is a provider and its one model: a later layer that names another by either name does without it. */
function withoutOutweighed(settings: Settings, entries: Config["entries"]): Settings {
  const [model, provider] = [entries.get("model"), entries.get("provider")];
  if (model === undefined || provider === undefined || isPractice(model) === isPractice(provider)) return settings;
  const [weaker, stronger] = layerOf(model) < layerOf(provider) ? [model, provider] : [provider, model];
  if (!isPractice(weaker) || layerOf(weaker) === layerOf(stronger)) return settings;
  const { [weaker.key as "model" | "provider"]: _outweighed, ...others } = settings;
  return others;
}

function providerYields(entries: Config["entries"]): boolean {
  const [model, provider] = [entries.get("model"), entries.get("provider")];
  return model !== undefined && provider !== undefined && layerOf(model) > layerOf(provider);
}

/** The model that is meant, where one is named. */
export interface NamedModel {
  readonly model?: string;
  readonly provider?: string;
}

/** PROVIDER/MODEL; the name of a model may hold a slash too. */
export function namedModel(name: string): NamedModel & { readonly model: string } {
  const slash = name.indexOf("/");
  const named = slash < 0 ? {} : { provider: name.slice(0, slash) };
  return { ...named, model: name.slice(slash + 1) };
}

/** For a model, or its provider, that is named now and by whoever asks. */
export const askedFor = (asked: ModelAsked, named: NamedModel): ModelAsked => ({
  ...asked,
  ...named,
  providerYields: named.provider === undefined && (named.model !== undefined || asked.providerYields),
});

const isPractice = ({ value }: Entry): boolean => valueText(value).trim().toLowerCase() === PRACTICE;

const layerOf = ({ layer }: Entry): number => LAYERS.indexOf(layer);

/** A flag is shown as it is typed. */
const namedBy = (entry: Entry | undefined): string | undefined =>
  entry?.place === "--provider" ? `--provider ${valueText(entry.value)}` : entry?.place;
