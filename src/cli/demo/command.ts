import { Command, Option } from "commander";
import type { CommandContext } from "../context.ts";
import { type Flags, OUTPUTS } from "../flags.ts";
import { langOption } from "../options.ts";

/** `evander demo`: what a turn is, shown in a few seconds, without a network or a key. */
export function demoCommand(context: CommandContext): Command {
  const demo = new Command("demo")
    .description("a short tour: one whole turn on a scratch copy, and its picture")
    .addOption(new Option("--output <form>", "how the result is written").choices(OUTPUTS).default("text"))
    .option("--json", "as --output json")
    .addOption(langOption());
  return demo.action(async ({ json, ...flags }: Flags & { readonly json?: boolean }) => {
    const { runDemo } = await import("./demo.ts");
    const asked = json === true ? ({ ...flags, output: "json" } as const) : flags;
    context.endWith(await runDemo(context.headless(asked), () => context.openStore()));
  });
}
