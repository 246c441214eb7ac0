import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { readable } from "../options.ts";
import type { ClassifyForm } from "./classify.ts";

/** `evander debug`: what this program makes of something, without doing anything with it. */
export function debugCommand(context: CommandContext): Command {
  const group = new Command("debug").description("what this program makes of something; nothing is done with it");
  readable(group.command("classify").description("why a call of a model failed, and what a turn would do about it"))
    .argument("[file]", "failures as JSON, one or one a line, or the body of a reply; else stdin")
    .option("--status <n>", "what is handed in is the body of a reply with this HTTP status")
    .option("--header <name=value>", "a header of that reply; may be repeated", (header, all?: string[]) => [
      ...(all ?? []),
      header,
    ])
    .option("--provider <name>", "who was asked")
    .option("--model <name>", "for which model")
    .option("--tokens <n>", "about how many tokens the request had")
    .option("--messages <n>", "how many messages it had")
    .option("--window <n>", "tokens that the model takes")
    .action(async (file: string | undefined, form: ClassifyForm) =>
      (await import("./classify.ts")).classifyFailures(context.adapters, file, { ...form, ...context.asked(form) }),
    );
  return group;
}
