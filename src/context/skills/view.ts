import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { SKILL_FILE, SKILL_LIMITS } from "../../protocol/skill.ts";
import { threatsIn } from "../prompt/threats.ts";
import { splitSkill } from "./header.ts";
import { asShown, type Shown } from "./hidden.ts";
import { isSafePath } from "./name.ts";
import { readIn } from "./read-file.ts";
import type { SkillFault } from "./sentences.ts";

/** A file of a skill as a model is told it; what may not be told is a fault. */
export function tellSkillFile(folder: string, path: string): Shown | { readonly fault: SkillFault } {
  if (!isSafePath(path)) return { fault: { type: "path" } };
  const read = readIn(folder, path, { read: SKILL_LIMITS.fileBytes, most: SKILL_LIMITS.fileBytes });
  if ("fault" in read) return { fault: { type: "file", fault: read.fault } };
  const split = path === SKILL_FILE ? splitSkill(read.text) : undefined;
  if (split !== undefined && "fault" in split) return { fault: { type: "header", fault: split.fault } };
  const shown = asShown(path, split === undefined ? read.text : split.body);
  const threats = threatsIn(shown.text);
  return threats.length > 0 ? { fault: { type: "threats", threats } } : shown;
}

/** The files of a skill, as paths from its folder in the order of their names; what links lead to is left out. */
export function filesOf(folder: string): string[] {
  const found: string[] = [];
  const look = (below: string): void => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (found.length >= SKILL_LIMITS.files || !isSafePath(path)) continue;
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory()) look(path);
    }
  };
  look("");
  return found;
}

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
};
