import { inBoth } from "../../protocol/sentence.ts";
import { SKILL_FILE, type Skill, type SkillTrouble } from "../../protocol/skill.ts";
import type { SkillDrift } from "../../protocol/skill-install.ts";
import { oneLine, printable } from "../../session/plain-text.ts";
import { type Language, type Text, wordsIn } from "../../words/language.ts";
import {
  changedSkill,
  fromWhere,
  LIST_SKILLS,
  noSuchSkill,
  revokedSkill,
  revokedUnread,
  SKILL_ROOT_WORDS,
  SKILL_SAYS,
  unavailable,
} from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { driftFiles } from "./drift.ts";
import { type SkillsHere, skillsHere } from "./room.ts";

type State = "available" | "off" | "unavailable" | "revoked";

interface Row {
  readonly skill: Skill;
  readonly state: State;
  /** What there is to say of it beside that. */
  readonly remarks: readonly Text[];
  readonly drift: SkillDrift | undefined;
}

/** `evander skill list`. */
export async function listSkills(adapters: Adapters, { io, json, language }: Asked): Promise<void> {
  const here = await skillsHere(adapters, io);
  const { skills, troubles } = await here.shelf.list();
  const rows = rowsOf(skills, here);
  if (json)
    return sayJson(io, { skills: rows.map((row) => recordOf(row, language)), troubles: told(troubles, language) });
  if (rows.length === 0) say(io.stderr, SKILL_SAYS.none[language]);
  for (const { skill, remarks } of rows) {
    say(
      io.stdout,
      printable(`${skill.name}  (${SKILL_ROOT_WORDS[skill.root][language]})  ${oneLine(skill.description)}`),
    );
    for (const remark of remarks) say(io.stdout, printable(`  ${remark[language]}`));
  }
  const { unread } = here.desk.revoked([]);
  if (unread !== undefined) say(io.stderr, printable(revokedUnread(unread.path, unread.said)[language]));
  for (const { path, message } of told(troubles, language)) say(io.stderr, printable(`${path}  ${message}`));
}

function rowsOf(skills: readonly Skill[], { desk, off }: SkillsHere): Row[] {
  const drifts = new Map(desk.installed().map((drift) => [drift.name, drift]));
  const revoked = desk.revoked(skills).named;
  return skills.map((skill) => {
    const drift = skill.root === "user" ? drifts.get(skill.name) : undefined;
    const line = revoked.get(skill.name);
    const changed = drift === undefined ? [] : driftFiles(drift);
    const remarks = [
      ...(line === undefined ? [] : [revokedSkill(line)]),
      ...(off.includes(skill.name) ? [SKILL_SAYS.off] : []),
      ...(skill.unavailable === undefined ? [] : [unavailable(skill.unavailable)]),
      ...(skill.always === true ? [SKILL_SAYS.always] : []),
      ...(changed.length === 0 ? [] : [changedSkill(changed)]),
      ...(drift === undefined ? [] : [fromWhere(drift.record.origin)]),
    ];
    return { skill, state: stateOf(skill, { line, off }), remarks, drift };
  });
}

function stateOf(skill: Skill, { line, off }: { line: string | undefined; off: readonly string[] }): State {
  if (line !== undefined) return "revoked";
  if (off.includes(skill.name)) return "off";
  return skill.unavailable === undefined ? "available" : "unavailable";
}

function recordOf({ skill, state, remarks, drift }: Row, language: Language): object {
  const { name, description, root, folder, always = false, unavailable: why = null } = skill;
  const { record } = drift ?? {};
  return {
    name,
    description,
    root,
    folder,
    state,
    always,
    unavailable: why,
    version: record?.manifest.version ?? null,
    origin: record?.origin ?? null,
    installedMs: record?.installedMs ?? null,
    changed: drift === undefined ? [] : driftFiles(drift),
    remarks: remarks.map((remark) => remark[language]),
  };
}

const told = (troubles: readonly SkillTrouble[], language: Language): { path: string; message: string }[] =>
  troubles.map(({ path, sentence }) => ({ path, message: wordsIn(sentence, language) }));

interface Shown {
  readonly name: string;
  readonly file: string;
}

/** `evander skill show`: as a model is told it. */
export async function showSkill({ name, file }: Shown, adapters: Adapters, { io, json }: Asked): Promise<void> {
  const { shelf } = await skillsHere(adapters, io);
  const view = await shelf.view(name, file);
  if (view === undefined) throw usageRefusal(noSuchSkill(name), { steps: [LIST_SKILLS] });
  if (!("skill" in view)) {
    throw usageRefusal(inBoth(view.sentence), { steps: [LIST_SKILLS] });
  }
  const { skill, text, files, hidden } = view;
  if (json) return sayJson(io, { name, root: skill.root, folder: skill.folder, file, text, files, hidden });
  say(io.stdout, text.trimEnd());
  if (file !== SKILL_FILE) return;
  for (const path of files) say(io.stderr, printable(`evander skill show ${name} ${path}`));
}
