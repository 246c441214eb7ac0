import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, type ConfigQuery, readConfig } from "../config/config.ts";
import { rootFolders } from "../config/folders.ts";
import { printable } from "../session/plain-text.ts";
import { noFolder } from "../words/usage.ts";
import { configRefusal, profileRefusal, troubleText } from "./config/trouble.ts";
import { type Flags, languageFor, type PromptFlags } from "./flags.ts";
import { type Io, say } from "./io.ts";
import { runnable } from "./next-steps.ts";
import { usageRefusal } from "./refusal.ts";

/** The config that holds for the turns of one run. What is wrong in it and stops nothing is told on stderr. */
export async function configOf(
  flags: PromptFlags,
  io: Io,
  where: Pick<ConfigQuery, "cwd" | "attended">,
): Promise<Config> {
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
  return [...new Set([...Object.values(rootFolders(io)), store, io.systemFolder, join(cwd, ".evander")])];
}

export function workingFolder(flags: Flags, io: Io): string {
  const cwd = resolve(io.cwd, flags.cwd ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw usageRefusal(noFolder(cwd));
  return cwd;
}
