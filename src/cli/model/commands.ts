import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";

/** How a model is named on the command line of `model`. */
export interface ModelForm extends Form {
  readonly provider?: string;
  readonly dryRun?: boolean;
}

/** `evander model`: which models there are, whether one works, which one is used from now on. */
export function modelCommand(context: CommandContext): Command {
  const group = new Command("model").description("which models there are, and which is used");
  readable(group.command("list").description("the models of every provider that can be used"))
    .option("--provider <name>", "of this one alone")
    .action(async (form: ModelForm) =>
      (await import("./models.ts")).listAll(context.adapters, { ...context.asked(form), ...form }),
    );
  readable(group.command("test").description("ask a model one tiny thing: does it answer, does it take tools"))
    .argument("[model]", "else the one that would be used")
    .option("--provider <name>", "who serves it; else the one that is found")
    .action(async (model: string | undefined, form: ModelForm) => {
      const { testModel } = await import("./models.ts");
      await testModel(context.adapters, model, { ...context.asked(form), ...form });
    });
  changing(group.command("use").description("use this model from now on: sets it in your config"))
    .argument("<model>")
    .action(async (model: string, form: ModelForm) =>
      (await import("./models.ts")).useModel(model, { ...context.asked(form), ...form }),
    );
  return group;
}
