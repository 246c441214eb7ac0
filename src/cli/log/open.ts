import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { type Folders, profileFolders, rootFolders } from "../../config/folders.ts";
import { findProfile } from "../../config/profiles.ts";
import type { ProviderAnswer } from "../../protocol/provider.ts";
import type { Diagnostic } from "../../session/diagnostic.ts";
import { oneLine, printable } from "../../session/plain-text.ts";
import { wordsIn } from "../../words/language.ts";
import { noLog } from "../../words/log.ts";
import type { RuntimeOptions } from "../adapters.ts";
import { languageFor, type PromptFlags } from "../flags.ts";
import { type Io, say } from "../io.ts";
import { traceOn } from "./fact-fields.ts";
import { LogFile, type LogFileOptions } from "./log-file.ts";
import { secretCleaner } from "./secrets.ts";

export const logFolder = ({ state }: Folders): string => join(state, "logs");

interface Logged {
  readonly config: Config;
  readonly model: Exclude<ProviderAnswer, { type: "none" }>;
}

/** Where the turns of one run are told about: the log file, and stderr for whoever asked for more on it. */
export function turnLog(flags: PromptFlags, io: Io, { config, model }: Logged): Pick<RuntimeOptions, "log" | "trace"> {
  const { logLevel } = config.settings;
  // Whoever wants nothing kept wants no line about it either.
  const level = flags.save === false ? "off" : logLevel;
  const keys = model.type === "found" ? [model.apiKey, ...(model.keys?.more ?? []).map(({ secret }) => secret)] : [];
  const language = languageFor(flags, io.env);
  const file = new LogFile({
    folder: logFolder(config.folders),
    level,
    clean: secretCleaner(io.env, keys),
    complain: (why) => {
      if (flags.verbose === true) say(io.stderr, printable(wordsIn(noLog(why), language)));
    },
  });
  const shown = stderrLog(flags, io);
  const log = (diagnostic: Diagnostic): void => {
    const { level: urgency, line, fields } = diagnostic;
    file.write(urgency, fields["event"] === "turn-end" ? fields : { ...fields, text: line });
    shown(diagnostic);
  };
  return { log, trace: file.keeps("debug") ? traceOn(file) : undefined };
}

const stderrLog =
  (flags: PromptFlags, io: Io) =>
  ({ level, line }: Diagnostic): void => {
    if (flags.quiet === true) return;
    if ((flags.verbose === true && level !== "debug") || level === "warn") {
      const shown = flags.verbose === true ? line : line.split("\n", 1)[0];
      // What a server or a plug-in said may stand in it.
      say(io.stderr, printable(`${level === "warn" ? "warning" : level}: ${shown}`));
    }
  };

/** Keeps where a defect of ours came from, whatever config holds: its stack is shown to nobody unasked. */
export function logDefect(error: unknown, io: Io, complain: LogFileOptions["complain"]): void {
  const found = findProfile(io);
  const profile = found.type === "invalid" ? undefined : found.profile;
  const folder = logFolder(profileFolders(rootFolders(io), profile, io.platform));
  const file = new LogFile({ folder, level: "error", clean: secretCleaner(io.env, []), complain });
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  file.write("error", { event: "defect", message: oneLine(message), stack });
}
