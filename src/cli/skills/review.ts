import { inBoth } from "../../protocol/sentence.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lineChanges } from "../../protocol/line-changes.ts";
import { type Skill, SKILL_FILE, type SkillChange, type SkillProposal } from "../../protocol/skill.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { Language } from "../../words/language.ts";
import {
  askProposal,
  decided,
  decideSkills,
  noSuchProposal,
  proposedBy,
  REVIEW_SKILLS,
  SKILL_SAYS,
} from "../../words/skills.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Adapters } from "../adapters.ts";
import { answerTo, isYes } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { usageRefusal } from "../refusal.ts";
import { findingLines } from "./parcel-lines.ts";
import { type SkillsHere, skillsHere } from "./room.ts";

interface Review {
  readonly answer: string | undefined;
  readonly ids: readonly string[];
}

/** `evander skill review`: what the agent may not do without a person. */
export async function reviewSkills({ answer, ids }: Review, adapters: Adapters, asked: Asked): Promise<void> {
  const { io, json, language } = asked;
  const here = await skillsHere(adapters, io);
  if (answer !== undefined) {
    if ((answer !== "yes" && answer !== "no") || ids.length === 0)
      throw usageRefusal(SKILL_SAYS.both, { steps: [REVIEW_SKILLS] });
    return decideAll(ids, answer === "yes", { here, asked });
  }
  const { skills } = await here.shelf.list();
  const views = (await here.shelf.proposals()).map((proposal) => viewOf(proposal, skills));
  if (json) return sayJson(io, views);
  if (views.length === 0) return say(io.stderr, SKILL_SAYS.noProposals[language]);
  const asks = io.stdin.isTTY === true;
  for (const view of views) {
    for (const line of linesOf(view, language)) say(io.stdout, line);
    if (asks) await askOne(view, { here, asked });
  }
  if (asks) return;
  const waiting = views.map(({ id }) => id);
  for (const step of nextSteps([decideSkills(waiting)], undefined, language)) say(io.stderr, stepLine(step, io.env));
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

interface Around {
  readonly here: SkillsHere;
  readonly asked: Asked;
}

/** Enter leaves it as it is. */
async function askOne({ id, change }: View, around: Around): Promise<void> {
  const { io, language } = around.asked;
  const answer = await answerTo(io, spelledOut(askProposal(change.name)[language]));
  if (isYes(answer) || /^no?$/iu.test(answer)) return decideAll([id], isYes(answer), around);
  say(io.stderr, SKILL_SAYS.skipped[language]);
}

/** All are looked up before the first is decided: a mistyped one changes nothing. */
async function decideAll(ids: readonly string[], accept: boolean, { here, asked }: Around): Promise<void> {
  const { io, json, language } = asked;
  const waiting = new Set((await here.shelf.proposals()).map(({ id }) => id));
  const unknown = ids.find((id) => !waiting.has(id));
  if (unknown !== undefined)
    throw usageRefusal(noSuchProposal(unknown), { code: "not_waiting", steps: [REVIEW_SKILLS] });
  for (const id of ids) {
    const answer = await here.shelf.decide(id, accept);
    if (answer === undefined) throw usageRefusal(noSuchProposal(id), { code: "not_waiting", steps: [REVIEW_SKILLS] });
    if (answer.type === "refused") throw usageRefusal(inBoth(answer.sentence));
    if (json) sayJson(io, { id, accepted: accept });
    else say(io.stdout, spelledOut(decided(id, accept)[language]));
  }
}
