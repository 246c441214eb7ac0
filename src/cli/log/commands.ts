import { Command, Option } from "commander";
import { ownFolders } from "../config/own-folders.ts";
import type { CommandContext } from "../context.ts";
import { type Form, readable } from "../options.ts";
import { LEVELS } from "./log-file.ts";
import type { LogFlags } from "./show.ts";

/** `evander logs`; it loads its code when it is called. */
export function logsCommand(context: CommandContext): Command {
  const logs = new Command("logs").description("how turns ended, one line each; more with the setting log.level");
  return readable(logs)
    .option("-f, --follow", "go on with what is written from now on")
    .option("--turn <turn>", "of one turn: its id, the beginning of it, or last")
    .option("--session <session>", "of one session: its id, or the beginning of it")
    .addOption(new Option("--level <level>", "this level and what is more urgent").choices(LEVELS))
    .option("-n, --lines <n>", "only the newest, so many; 100 when absent")
    .action(async (flags: LogFlags & Form) => {
      const [{ logFolder }, { showLogs }] = await Promise.all([import("./open.ts"), import("./show.ts")]);
      context.endWith(await showLogs(logFolder(ownFolders(context.io)), flags, context.asked(flags)));
    });
}
