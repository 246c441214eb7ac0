import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { type Form, readable } from "../options.ts";

/** How the tools of a place are asked for. */
export interface ToolForm extends Form {
  readonly cwd?: string;
  readonly config?: readonly string[];
}

/** How one tool is run. */
export interface RunForm extends ToolForm {
  readonly arg?: readonly string[];
  readonly yes?: boolean;
}

/** `evander tool`; each command loads its code when it is called. */
export function toolCommand(context: CommandContext): Command {
  const group = new Command("tool").description("the tools that models are offered here");
  placed(
    group.command("list").description("every tool: its set, what it does to the world, and whether it is offered"),
  ).action(async (form: ToolForm) => (await import("./list.ts")).listTools(context, form));
  placed(group.command("show").description("a tool as the model is told of it, and where it comes from"))
    .argument("<tool>")
    .action(async (tool: string, form: ToolForm) => (await import("./list.ts")).showTool(tool, context, form));
  placed(group.command("run").description("run a tool once, as a model would: what needs a person asks you"))
    .argument("<tool>")
    .argument("[arguments]", "one JSON object; - reads it from stdin")
    .option("--arg <name=value>", "one argument, as text; may be repeated", collect)
    .option("-y, --yes", "do not ask")
    .action(async (tool: string, given: string | undefined, form: RunForm) =>
      context.endWith(await (await import("./run.ts")).runTool({ tool, given }, context, form)),
    );
  return group;
}

const placed = (command: Command): Command =>
  readable(command)
    .option("--cwd <folder>", "the folder to work in")
    .option("--config <key=value>", "set one setting; may be repeated", collect);

const collect = (pair: string, all?: string[]): string[] => [...(all ?? []), pair];
