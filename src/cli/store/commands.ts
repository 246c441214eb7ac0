import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form } from "../options.ts";

/** How a command that changes the store as a whole was asked. */
export interface CareForm extends Form {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `evander store …`; each loads its code when it is called. */
export function storeCommand(context: CommandContext): Command {
  const group = new Command("store").description("the file that holds all sessions: saved, put back, recovered");
  changing(group.command("backup").description("all sessions into one new file, while others go on writing"))
    .argument("<file>", "the file to make")
    .action(async (file: string, form: CareForm) =>
      (await import("./care.ts")).backUp(context, file, { ...form, ...context.asked(form) }),
    );
  changing(group.command("restore").description("a backup in the place of the store, which is kept beside it"))
    .argument("<file>", "a file that backup has made")
    .action(async (file: string, form: CareForm) =>
      (await import("./care.ts")).restore(context, file, { ...form, ...context.asked(form) }),
    );
  changing(
    group.command("recover").description("what can be read of a damaged store into a new one; the original is kept"),
  ).action(async (form: CareForm) => (await import("./care.ts")).recover(context, { ...form, ...context.asked(form) }));
  changing(group.command("rebuild").description("the search index anew, out of what was said")).action(
    async (form: CareForm) => (await import("./care.ts")).rebuild(context, { ...form, ...context.asked(form) }),
  );
  return group;
}
