import { Argument, Command } from "commander";
import type { CommandContext } from "../context.ts";
import type { Place } from "./tree.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** `evander completion`: a script made of the commands as they are; it loads its code when it is called. */
export function completionCommand({ io }: CommandContext): Command {
  return new Command("completion")
    .description("a script that completes commands, options and names in your shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action(async (shell: Shell, _flags: unknown, command: Command) => {
      const { placesOf } = await import("./tree.ts");
      io.stdout.write(await script(shell, placesOf(command.parent ?? command)));
    });
}

async function script(shell: Shell, places: readonly Place[]): Promise<string> {
  switch (shell) {
    case "bash":
      return (await import("./bash.ts")).bashScript(places);
    case "zsh":
      return (await import("./zsh.ts")).zshScript(places);
    case "fish":
      return (await import("./fish.ts")).fishScript(places);
  }
}
