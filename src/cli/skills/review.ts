import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lineChanges } from "../../protocol/line-changes.ts";
import { inBoth } from "../../protocol/sentence.ts";
import { type Skill, SKILL_FILE, type SkillChange, type SkillProposal } from "../../protocol/skill.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { Language } from "../../words/language.ts";
import { proposedBy } from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import type { Asked } from "../context.ts";
import { decideEach, decideNamed, type Decision, type Waiting } from "../decide.ts";
import { sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { findingLines } from "./parcel-lines.ts";
import { type SkillsHere, skillsHere } from "./room.ts";

/** `evander skill review`: what the agent may not do without a person. */
export async function reviewSkills(adapters: Adapters, asked: Asked): Promise<void> {
  const { io, json, language } = asked;
  const here = await skillsHere(adapters, io);
  const { skills } = await here.shelf.list();
  const waiting = await waitingOn(here);
  const views = (await here.shelf.proposals()).map((proposal) => viewOf(proposal, skills));
  if (json) return sayJson(io, views);
  await decideEach(waiting, (at) => views.slice(at, at + 1).flatMap((view) => linesOf(view, language)), asked);
}

/** `evander skill review yes|no ID…` */
export async function decideSkills(adapters: Adapters, ids: readonly string[], how: Asked & Decision): Promise<void> {
  return decideNamed(await waitingOn(await skillsHere(adapters, how.io)), ids, how);
}

interface View extends SkillProposal {
  /** What would change, line by line. */
  readonly lines: readonly string[];
}

function viewOf(proposal: SkillProposal, skills: readonly Skill[]): View {
  const { change } = proposal;
  const skill = skills.find(({ name }) => name === change.name);
  return { ...proposal, lines: lineChanges(...textsOf(change, skill)) };
}

/** The file as it is and as it would be. */
function textsOf(change: SkillChange, skill: Skill | undefined): [string, string] {
  const now = (file: string): string => (skill === undefined ? "" : textIn(join(skill.folder, file)));
  switch (change.do) {
    case "create":
    case "edit":
      return [now(SKILL_FILE), change.content];
    case "patch":
      return [change.find, change.text];
    case "delete":
      return [now(SKILL_FILE), ""];
    case "write_file":
      return [now(change.file), change.content];
    case "remove_file":
      return [now(change.file), ""];
  }
}

function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function linesOf({ id, change, author, tainted, findings, lines }: View, language: Language): string[] {
  const file = "file" in change && change.file !== undefined ? change.file : SKILL_FILE;
  return [
    spelledOut(`${id}  ${change.do}  ${change.name}/${file}`),
    ...(tainted === undefined ? [] : [spelledOut(`  ${proposedBy(tainted, author.sessionId)[language]}`)]),
    ...(findings.length === 0 ? [] : findingLines(findings, language).map((line) => `  ${line}`)),
    ...lines.map((line) => spelledOut(`  ${line}`)),
  ];
}

const waitingOn = async ({ shelf }: SkillsHere): Promise<Waiting> => ({
  of: "skill",
  proposals: await shelf.proposals(),
  decide: async (id, accept) => {
    const answer = await shelf.decide(id, accept);
    if (answer?.type === "refused") throw usageRefusal(inBoth(answer.sentence));
    return answer;
  },
});
