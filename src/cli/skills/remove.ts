import { printable } from "../../session/plain-text.ts";
import {
  askRemove,
  bringBack,
  noSuchSkill,
  notRemovable,
  removedSkill,
  SKILL_SAYS,
  switchOff,
  wouldRemove,
} from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import { confirm } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepIn, stepLine } from "../next-steps.ts";
import { usageRefusal } from "../refusal.ts";
import type { SkillFlags } from "./commands.ts";
import { existingSkill, skillsHere } from "./room.ts";

/** `evander skill rm`: nothing is deleted. */
export async function removeSkill(name: string, adapters: Adapters, asked: Asked & SkillFlags): Promise<void> {
  const { io, json, language, dryRun = false, yes = false } = asked;
  const here = await skillsHere(adapters, io);
  const { root, folder } = await existingSkill(name, here);
  if (root !== "user") {
    const steps = [switchOff([...new Set([...here.off, name])])];
    throw usageRefusal(notRemovable(name, root, folder), { code: "not_removable", steps });
  }
  if (dryRun) {
    if (json) sayJson(io, { name, removed: false, dryRun, archived: null });
    else say(io.stdout, wouldRemove(name)[language]);
    return;
  }
  if (!yes && !(await confirm(io, askRemove(name)[language])))
    return say(io.stderr, SKILL_SAYS.nothingRemoved[language]);
  const archived = await here.desk.archive(name);
  if (archived === undefined) throw usageRefusal(noSuchSkill(name));
  if (json) return sayJson(io, { name, removed: true, dryRun, archived });
  say(io.stdout, printable(removedSkill(name, archived)[language]));
  say(io.stderr, stepLine(stepIn(bringBack(archived), language), io.env));
}
