import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { type Form, readable } from "../options.ts";

/** `evander docs`; it loads its code when it is called. */
export function docsCommand(context: CommandContext): Command {
  const docs = new Command("docs").description("the guides, offline; without a topic, which there are");
  return readable(docs)
    .argument("[topic]", "the name of a guide, or exit-codes")
    .action(async (topic: string | undefined, form: Form) => {
      const { listTopics, printTopic } = await import("./docs.ts");
      const where = { folder: context.adapters.docsFolder, ...context.asked(form) };
      if (topic === undefined) listTopics(where);
      else printTopic(topic, where);
    });
}
