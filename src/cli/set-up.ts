import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readSettings, type Settings } from "../config/settings.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { Flags } from "./flags.ts";
import { type Io, say } from "./io.ts";
import { RefusalError } from "./refusal.ts";

export function settingsOf(flags: Flags): Settings {
  const reading = readSettings(flags.config ?? [], flags);
  if (reading.type === "invalid") throw new RefusalError({ reason: "config_invalid", message: reading.message });
  return reading.settings;
}

export function workingFolder(flags: Flags, io: Io): string {
  const cwd = resolve(io.cwd, flags.cwd ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new RefusalError({ reason: "usage_error", message: `--cwd ${cwd} is not a folder: name an existing one.` });
  return cwd;
}

export const diagnosticLog =
  (flags: Flags, io: Io) =>
  ({ level, line }: Diagnostic): void => {
    if (flags.verbose === true || level === "warn")
      say(io.stderr, `${level}: ${flags.verbose === true ? line : line.split("\n", 1)[0]}`);
  };
