import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";

/** How a model is named on the command line of `model`. */
interface ModelForm extends Form {
  readonly provider?: string;
  readonly known?: boolean;
  readonly dryRun?: boolean;
}

const namedBy = (model: string | undefined, { provider }: ModelForm): { model?: string; provider?: string } => ({
  ...(model !== undefined && { model }),
  ...(provider !== undefined && { provider }),
});

/** `evander model`: which models there are, what is known of one, whether it works, which is used from now on. */
export function modelCommand(context: CommandContext): Command {
  const group = new Command("model").description("which models there are, and which is used");
  readable(group.command("list").description("the models of every provider that can be used"))
    .argument("[text]", "only those whose name, behind their provider's, holds this")
    .option("--provider <name>", "of this one alone")
    .option("--known", "every model of the snapshot in this program; nobody is asked")
    .action(async (text: string | undefined, form: ModelForm) =>
      (await import("./list.ts")).listModels(context.adapters, text, { ...context.asked(form), ...form }),
    );
  readable(group.command("show").description("all that is known of a model: window, prices, images, and who says so"))
    .argument("[model]", "else the one that would be used")
    .option("--provider <name>", "who serves it; else the one that is found")
    .action(async (model: string | undefined, form: ModelForm) =>
      (await import("./show.ts")).showModel(context.adapters, namedBy(model, form), context.asked(form)),
    );
  readable(group.command("test").description("ask a model one tiny thing: how fast it answers, does it take tools"))
    .argument("[model]", "else the one that would be used")
    .option("--provider <name>", "who serves it; else the one that is found")
    .action(async (model: string | undefined, form: ModelForm) =>
      (await import("./try.ts")).testModel(context.adapters, namedBy(model, form), context.asked(form)),
    );
  changing(group.command("use").description("use this model from now on: sets it in your config"))
    .argument("<model>")
    .action(async (model: string, form: ModelForm) =>
      (await import("../config/change.ts")).setSetting("model", model, { ...context.asked(form), ...form }),
    );
  return group;
}
