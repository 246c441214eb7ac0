import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProfileProblem } from "../protocol/setting.ts";
import { type ConfigFile, readConfigFile, readConfigText, readText } from "./config-file.ts";
import type { Entry, Layer, Trouble } from "./entry.ts";
import { type Folders, profileFolders, rootFolders, storeFolder, type Surroundings } from "./folders.ts";
import { keepLastGood, lastGood } from "./last-good.ts";
import { readEnvironment, readFlags, readPairs, type SettingFlags } from "./given.ts";
import { findProfile } from "./profiles.ts";
import { resolveLayers } from "./resolve.ts";
import { type Settings, settingsFrom } from "./settings.ts";
import { isTrusted } from "./trust.ts";

/** What decides which config holds. */
export interface ConfigQuery {
  readonly around: Surroundings;
  /** The working folder of the turns: its project, or that of a folder around it, may narrow. */
  readonly cwd: string;
  /** `--config key=value`, in order. */
  readonly pairs?: readonly string[] | undefined;
  readonly flags?: SettingFlags;
  /** A person sees warnings: the last config that was right may stand in for a broken one. */
  readonly attended: boolean;
}

/** The config that holds, with where each part comes from. */
export interface Config {
  readonly settings: Settings;
  /** What was set, by key; everything else is as usual. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly folders: Folders;
  /** Where the sessions are. */
  readonly store: string;
  readonly profile: string | undefined;
  readonly files: readonly ConfigFile[];
  readonly troubles: readonly Trouble[];
}

export type ConfigReading =
  | { readonly type: "config"; readonly config: Config }
  | { readonly type: "no-profile"; readonly problem: ProfileProblem }
  /** What was asked for and cannot be had; never empty. */
  | { readonly type: "invalid"; readonly troubles: readonly [Trouble, ...Trouble[]] };

/** Reads every layer. Invalid: something in it that was asked for cannot be had, and nothing may stand in for it. */
export async function readConfig(query: ConfigQuery): Promise<ConfigReading> {
  const looked = await lookAtConfig(query);
  if (looked.type === "no-profile") return looked;
  const [first, ...more] = looked.config.troubles.filter(({ severity }) => severity === "error");
  return first === undefined ? looked : { type: "invalid", troubles: [first, ...more] };
}

/** The same with all troubles among the rest, for whoever wants to see or mend them. */
export async function lookAtConfig(query: ConfigQuery): Promise<Exclude<ConfigReading, { type: "invalid" }>> {
  const { around } = query;
  const roots = rootFolders(around);
  const found = findProfile(around);
  if (found.type === "invalid") return { type: "no-profile", problem: found.problem };
  const folders = profileFolders(roots, found.profile, around.platform);
  const files = configFiles(query, roots, found.profile);
  const ofFiles: Layer[] = [];
  for (const file of files) ofFiles.push(await layerOf(file, folders, query));
  const layers = [
    ...ofFiles,
    untrustedProject(query, roots),
    readEnvironment(around.env),
    readPairs(query.pairs ?? []),
    readFlags(query.flags ?? {}),
  ];
  const { entries, troubles } = resolveLayers(layers);
  const settings = settingsFrom(entries);
  const store = storeFolder(around, folders);
  return { type: "config", config: { settings, entries, folders, store, profile: found.profile, files, troubles } };
}

const CONFIG_FILE = "config.yaml";

/** The files that may hold settings, whether they exist or not; a project's only where the folder is trusted. */
function configFiles({ around, cwd }: ConfigQuery, roots: Folders, profile: string | undefined): ConfigFile[] {
  const files: ConfigFile[] = [
    { layer: "system", path: join(around.systemFolder, CONFIG_FILE) },
    { layer: "user", path: join(roots.config, CONFIG_FILE), command: "evander config" },
  ];
  if (profile !== undefined)
    files.push({
      layer: "profile",
      path: join(profileFolders(roots, profile, around.platform).config, CONFIG_FILE),
      command: `evander --profile ${profile} config`,
    });
  const project = projectFolder(cwd, around.home);
  if (project !== undefined && isTrusted(roots.data, project))
    files.push({ layer: "project", path: projectFile(project) });
  return files;
}

const projectFile = (project: string): string => join(project, ".evander", CONFIG_FILE);

/** The nearest folder, from the working folder up to the home folder, that has a config of its own. */
export function projectFolder(cwd: string, home: string): string | undefined {
  for (let at = cwd; at !== home; at = dirname(at)) {
    if (existsSync(projectFile(at))) return at;
    if (dirname(at) === at) return undefined;
  }
  return undefined;
}

/** A file that nobody has trusted is not opened (security §2c, 43); that it is there is told. */
function untrustedProject({ around, cwd }: ConfigQuery, roots: Folders): Layer {
  const project = projectFolder(cwd, around.home);
  if (project === undefined || isTrusted(roots.data, project)) return { name: "project", entries: [], troubles: [] };
  const place = projectFile(project);
  const trouble: Trouble = {
    severity: "warning",
    layer: "project",
    place,
    problem: { type: "untrusted" },
    fix: { type: "trust", name: project, command: `evander trust add` },
  };
  return { name: "project", entries: [], troubles: [trouble] };
}

/** The file as it is, or as it was last right where a person is told so. An administrator's rules have no stand-in. */
async function layerOf(file: ConfigFile, { state }: Folders, { around, attended }: ConfigQuery): Promise<Layer> {
  const found = readText(file.path);
  const layer = await readConfigFile(file, found, around.home);
  const replaceable = file.layer !== "system";
  if (!layer.troubles.some(({ severity }) => severity === "error")) {
    if (replaceable && found.type === "text") keepLastGood(state, file.path, found.text);
    return layer;
  }
  const good = replaceable && attended ? lastGood(state, file.path) : undefined;
  if (good === undefined) return layer;
  const { entries } = await readConfigText({ ...file, path: good.path }, good.text, around.home);
  const instead: Trouble = {
    severity: "warning",
    layer: file.layer,
    place: file.path,
    problem: { type: "stand-in", since: new Date(good.savedMs).toISOString().slice(0, 16).replace("T", " ") },
  };
  const troubles = layer.troubles.map((trouble) => ({ ...trouble, severity: "warning" as const }));
  return { name: file.layer, entries, troubles: [...troubles, instead] };
}
