import type { Skill, SkillShelf } from "../../protocol/skill.ts";
import type { SkillDesk } from "../../protocol/skill-install.ts";
import { LIST_SKILLS, noSuchSkill } from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import { lookHere } from "../config/look.ts";
import type { Io } from "../io.ts";
import { usageRefusal } from "../refusal.ts";

/** The skills here, those that are switched off or revoked among them. */
export interface SkillsHere {
  readonly shelf: SkillShelf;
  readonly desk: SkillDesk;
  readonly off: readonly string[];
}

export async function skillsHere(
  { openSkills, openSkillDesk }: Pick<Adapters, "openSkills" | "openSkillDesk">,
  io: Io,
): Promise<SkillsHere> {
  const { folders, settings } = await lookHere(io);
  const place = { cwd: io.cwd, folders };
  return { shelf: openSkills(place), desk: await openSkillDesk(place), off: settings.skillsOff ?? [] };
}

/** A name that nothing has is refused. */
export async function existingSkill(name: string, { shelf }: SkillsHere): Promise<Skill> {
  const { skills } = await shelf.list();
  const skill = skills.find((each) => each.name === name);
  if (skill === undefined) throw usageRefusal(noSuchSkill(name), { steps: [LIST_SKILLS] });
  return skill;
}
