import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, type ConfigQuery, readConfig } from "../config/config.ts";
import { rootFolders } from "../config/folders.ts";
import { askedFor, modelAsked, type NamedModel } from "../config/model-asked.ts";
import type { ProviderAnswer } from "../protocol/provider.ts";
import { printable } from "../session/plain-text.ts";
import { noFolder } from "../words/usage.ts";
import type { Adapters, Hands, HandsOptions, Runtime, RuntimeOptions } from "./adapters.ts";
import { configRefusal, profileRefusal, troubleText } from "./config/trouble.ts";
import { type Flags, languageFor, type PromptFlags } from "./flags.ts";
import { type Io, say } from "./io.ts";
import { turnLog } from "./log/open.ts";
import { runnable } from "./next-steps.ts";
import { usageRefusal } from "./refusal.ts";
import { toolNames } from "./tool-choice.ts";

/** The config that holds for the turns of one run. What is wrong in it and stops nothing is told on stderr. */
async function configOf(flags: PromptFlags, io: Io, where: Pick<ConfigQuery, "cwd" | "attended">): Promise<Config> {
  const reading = await readConfig({ around: io, ...where, pairs: flags.config, flags });
  if (reading.type === "no-profile") throw profileRefusal(reading.problem);
  if (reading.type === "invalid") throw configRefusal(reading.troubles);
  const language = languageFor(flags, io.env);
  for (const trouble of flags.quiet === true ? [] : reading.config.troubles) {
    const command = trouble.fix?.command;
    const hint = command === undefined ? "" : printable(` (${runnable(command, io.env)})`);
    say(io.stderr, `config: ${troubleText(trouble)[language]}${hint}`);
  }
  return reading.config;
}

/** What belongs to the program itself, of whatever profile, and the config of the working folder. */
export function guardedFolders(io: Io, { store }: Config, cwd: string): string[] {
  return [
    ...new Set([...Object.values(rootFolders(io)), store, io.systemFolder, join(cwd, ".evander", "config.yaml")]),
  ];
}

/** What one run of the program was asked, and the edges it works through. */
export interface Run {
  readonly flags: PromptFlags;
  readonly io: Io;
  readonly adapters: Adapters;
}

/** Where turns work, and under what settings. */
export interface Place {
  readonly cwd: string;
  readonly config: Config;
}

export async function placeOf({ flags, io }: Pick<Run, "flags" | "io">, attended: boolean): Promise<Place> {
  const cwd = workingFolder(flags, io);
  return { cwd, config: await configOf(flags, io, { cwd, attended }) };
}

export const findModel = (
  { io, adapters }: Pick<Run, "io" | "adapters">,
  { cwd, config }: Place,
  named: NamedModel = {},
): Promise<ProviderAnswer> => adapters.findModel(askedFor(modelAsked(config, io, cwd), named));

/** What runs the turns of one place. */
export const openRuntime = (
  { flags, io, adapters }: Run,
  { cwd, config }: Place,
  own: Pick<
    RuntimeOptions,
    "model" | "store" | "approvals" | "attended" | "staysOpen" | "chosen" | "proposed" | "serverTrouble"
  >,
): Promise<Runtime> =>
  adapters.openRuntime({
    ...own,
    settings: config.settings,
    asked: modelAsked(config, io, cwd),
    ...(flags.save !== false && { limitsFolder: config.store }),
    cwd,
    folders: config.folders,
    guarded: guardedFolders(io, config, cwd),
    tools: toolNames(flags),
    ...turnLog(flags, io, { config, model: own.model }),
    language: languageFor(flags, io.env),
  });

/** The tools of one place, without a model. */
export const openHands = (
  { io, adapters }: Pick<Run, "io" | "adapters">,
  { cwd, config }: Place,
  own: Pick<HandsOptions, "store" | "attended">,
): Promise<Hands> =>
  adapters.openHands({
    ...own,
    settings: config.settings,
    limitsFolder: config.store,
    cwd,
    folders: config.folders,
    guarded: guardedFolders(io, config, cwd),
  });

export function workingFolder(flags: Flags, io: Io): string {
  const cwd = resolve(io.cwd, flags.cwd ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw usageRefusal(noFolder(cwd));
  return cwd;
}
