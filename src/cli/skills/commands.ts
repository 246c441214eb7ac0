import { Argument, Command } from "commander";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";

/** How a command that changes skills was asked for it. */
export interface SkillFlags extends Form {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly acceptFindings?: boolean;
  readonly verbose?: boolean;
}

/** `evander skill`; each command loads its code when it is called. */
export function skillCommand(context: CommandContext): Command {
  const group = new Command("skill").description("procedures that are written down, for the model to follow");
  readable(group.command("list").description("every skill, where it comes from, and whether it is offered")).action(
    async (form: Form) => (await import("./list.ts")).listSkills(context.adapters, context.asked(form)),
  );
  readable(group.command("show").description("a skill as the model would read it, or one of its files"))
    .argument("<skill>")
    .argument("[file]", "as list and show name it", "SKILL.md")
    .action(async (skill: string, file: string, form: Form) =>
      (await import("./list.ts")).showSkill({ name: skill, file }, context.adapters, context.asked(form)),
    );
  changing(group.command("install").description("look at a skill of somebody else, and install it after your yes"))
    .argument("<source>", "a folder, a .tar or .tar.gz, or https://ADDRESS#COMMIT (:FOLDER in it)")
    .option("--accept-findings", "with --yes: also agree to what was found and marked with !")
    .option("--verbose", "all lines of an update")
    .action(async (source: string, form: SkillFlags) =>
      context.endWith(
        await (
          await import("./install.ts")
        ).installSkill(source, context.adapters, { ...form, ...context.asked(form) }),
      ),
    );
  readable(group.command("scan").description("what an installation would warn of; 1 when something is found"))
    .argument("<skill>", "its name, or a folder or SKILL.md")
    .action(async (skill: string, form: Form) =>
      context.endWith(await (await import("./scan.ts")).scanSkill(skill, context.adapters, context.asked(form))),
    );
  changing(group.command("review").description("changes that wait for your yes or no, and what they would change"))
    .addArgument(new Argument("[answer]", "to decide without being asked").choices(["yes", "no"]))
    .argument("[id...]", "of changes, as shown without an answer")
    .action(async (answer: "yes" | "no" | undefined, ids: string[], { dryRun, ...form }: SkillFlags) => {
      const { decideSkills, reviewSkills } = await import("./review.ts");
      const asked = context.asked(form);
      if (answer === undefined) return reviewSkills(context.adapters, asked);
      return decideSkills(context.adapters, ids, { ...asked, accept: answer === "yes", dryRun });
    });
  changing(group.command("rm").description("take a skill of yours out of use; it is kept in an archive"))
    .argument("<skill>")
    .action(async (skill: string, form: SkillFlags) =>
      (await import("./remove.ts")).removeSkill(skill, context.adapters, { ...form, ...context.asked(form) }),
    );
  return group;
}
