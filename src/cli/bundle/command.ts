import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form } from "../options.ts";
import type { ChangeFlags } from "../records/change.ts";

/** `evander bundle`; it loads its code when it is called. */
export function bundleCommand(context: CommandContext): Command {
  const bundle = new Command("bundle").description(
    "one turn, with all it takes to look into it, in a file without secrets",
  );
  return changing(bundle)
    .argument("[turn]", "its id or the beginning of it, or last", "last")
    .argument("[file]", "the zip file to write; one in the working folder when absent")
    .action((turn: string, file: string | undefined, flags: Form & ChangeFlags) =>
      context.withStore(async (store) =>
        (await import("./bundle.ts")).writeBundle(store, { ...flags, turn, file }, context),
      ),
    );
}
