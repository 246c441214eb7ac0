import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sentence } from "../../protocol/sentence.ts";
import {
  type Skill,
  SKILL_FILE,
  type SkillShelf,
  type SkillsRead,
  type SkillTrouble,
  type SkillUnread,
  type SkillView,
} from "../../protocol/skill.ts";
import { shownPath } from "../prompt/shown-path.ts";
import { lookAround, type Surroundings } from "./available.ts";
import { nameFault } from "./name.ts";
import { readSkill, type Root } from "./read-skill.ts";
import { faultSentence, tooManySkills, UNTRUSTED } from "./sentences.ts";
import { filesOf, tellSkillFile } from "./view.ts";

/** Where skills lie, and how they are kept. */
export interface SkillPlaces extends Surroundings {
  /** A later one holds. */
  readonly roots: readonly Root[];
  /** Names of those that are not offered. */
  readonly off: readonly string[];
  /** Does its work while no other process changes skills. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** ms since the epoch */
  readonly now: () => number;
}

/** So many folders of a root are looked into, in the order of their names. */
export const MOST_SKILLS = 1_000;

/** The skills of these places. What writes is loaded when something is written. */
export function openShelf(places: SkillPlaces): SkillShelf {
  const writer = async () => (await import("./change.ts")).skillWriter(places);
  return {
    list: () => listSkills(places),
    view: (name, file = SKILL_FILE) => viewSkill(places, name, file),
    change: async (...asked) => (await writer()).change(...asked),
    proposals: async () => (await writer()).proposals(),
    decide: async (...asked) => (await writer()).decide(...asked),
  };
}

async function listSkills(places: SkillPlaces): Promise<SkillsRead> {
  const skills = new Map<string, Skill>();
  const troubles: SkillTrouble[] = [];
  const whatIsMissing = lookAround(places);
  for (const root of places.roots) {
    const names = namesIn(root.folder);
    if (root.untrusted === true) {
      if (names.length > 0) troubles.push(troubleOf(root.folder, UNTRUSTED));
      continue;
    }
    for (const name of names.slice(0, MOST_SKILLS)) {
      const read = await readSkill(root, name, whatIsMissing);
      if (!("fault" in read)) skills.set(name, read);
      else troubles.push(troubleOf(join(root.folder, name), faultSentence(SKILL_FILE, read.fault)));
    }
    const left = names.length - MOST_SKILLS;
    if (left > 0) troubles.push(troubleOf(root.folder, tooManySkills(left, MOST_SKILLS)));
  }
  for (const name of places.off) skills.delete(name);
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), troubles };
}

const troubleOf = (path: string, sentence: Sentence): SkillTrouble => ({ path, sentence });

/** Folders and links: what else lies there is no skill. */
export function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}

/** The skill of this name as it is found where it holds; where there is none, why what lies there is none. */
async function findSkill(
  { roots, off, ...around }: SkillPlaces,
  name: string,
): Promise<Skill | SkillUnread | undefined> {
  if (nameFault(name) !== undefined || off.includes(name)) return undefined;
  const whatIsMissing = lookAround(around);
  let broken: SkillUnread | undefined;
  for (const root of roots.toReversed()) {
    if (root.untrusted === true) continue;
    const read = await readSkill(root, name, whatIsMissing);
    if (!("fault" in read)) return read;
    const isAbsent = read.fault.type === "file" && read.fault.fault.why === "absent";
    if (!isAbsent) broken ??= { sentence: faultSentence(`${name}/${SKILL_FILE}`, read.fault), root: root.root };
  }
  return broken;
}

async function viewSkill(
  places: SkillPlaces,
  name: string,
  file: string,
): Promise<SkillView | SkillUnread | undefined> {
  const skill = await findSkill(places, name);
  if (skill === undefined || "sentence" in skill) return skill;
  const told = tellSkillFile(skill.folder, file);
  if ("fault" in told) return { sentence: faultSentence(`${name}/${shownPath(file)}`, told.fault), root: skill.root };
  return { skill, file, ...told, files: filesOf(skill.folder).filter((path) => path !== file) };
}
