import type { Command as Group } from "commander";
import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";

/** How `doctor` was asked. */
export interface DoctorForm extends Form {
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly ask?: boolean;
  readonly check?: boolean;
}

const ASK = "make one tiny real request to each provider that can be used, and say what tokens it took";

/** `evander doctor`: checks, each with an id, a cause and one command; it loads its code when it is called. */
export function doctorCommand(context: CommandContext): Group {
  const group = new Command("doctor")
    .description("check the program, its folders, config, sessions, notes and providers")
    .enablePositionalOptions();
  changing(group)
    .option("--fix", "do what can be taken back, and say how")
    .option("--ask", ASK)
    .option("--check", "read every session and check all that must hold of it")
    .action(async (form: DoctorForm) => {
      const { runDoctor } = await import("./doctor.ts");
      context.endWith(await runDoctor(context.adapters, { ...context.asked(form), ...form }));
    });
  readable(group.command("providers").description("everything that could be asked, with models and what is in the way"))
    .option("--ask", ASK)
    .action(async (form: DoctorForm) => {
      const { listProviders } = await import("./providers.ts");
      await listProviders(context.adapters, { ...context.asked(form), ask: form.ask === true });
    });
  return group;
}
