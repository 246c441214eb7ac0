import { dirname } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Folders } from "../../config/folders.ts";
import { NOTE_FILES } from "../../protocol/memory.ts";
import type { Skill, SkillShelf } from "../../protocol/skill.ts";
import type { SkillDrift } from "../../protocol/skill-install.ts";
import { DOCTOR } from "../../words/doctor.ts";
import { changesWait } from "../../words/proposals.ts";
import { changedSkill, revokedNow, revokedUnread } from "../../words/skills.ts";
import type { Adapters } from "../adapters.ts";
import { driftFiles } from "../skills/drift.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** What of the notes is told to no model, and what waits for a person. */
export async function checkNotes(adapters: Adapters, folders: Folders): Promise<Finding[]> {
  const book = await adapters.openNotes(folders);
  const read = NOTE_FILES.map((file) => ({ file, ...book.read(file) }));
  const count = read.reduce((sum, { notes }) => sum + notes.length, 0);
  const troubles = read.flatMap(({ file, troubles: each }) =>
    each.map((sentence) => warning(`memory.${file}`, DOCTOR.trouble(sentence), `evander memory edit ${file}`)),
  );
  const waiting = book.proposals().length;
  const waits = waiting === 0 ? [] : [warning("memory.waiting", changesWait(waiting), "evander memory review")];
  return troubles.length > 0 ? [...troubles, ...waits] : [ok("memory", DOCTOR.notes(count)), ...waits];
}

/** What lies where skills do and is none, what is not any more what was agreed to, and what waits for a person. */
export async function checkSkills(adapters: Adapters, { folders, settings }: Config, cwd: string): Promise<Finding[]> {
  const place = { folders, cwd };
  const shelf = adapters.openSkills({ ...place, off: settings.skillsOff });
  const [{ skills, troubles }, desk] = await Promise.all([shelf.list(), adapters.openSkillDesk(place)]);
  const { named, unread } = desk.revoked(skills);
  const untold = await Promise.all(skills.map((skill) => untoldOf(shelf, skill)));
  const faults = [
    ...troubles.map(({ path, sentence }) =>
      warning("skills", DOCTOR.skillTrouble(path, sentence), "evander skill list"),
    ),
    ...untold.flat(),
    ...desk.installed().flatMap((drift) => changedSince(drift)),
    ...[...named].map(([name, line]) => warning("skills.revoked", revokedNow(name, line), `evander skill rm ${name}`)),
    ...(unread === undefined ? [] : [warning("skills.revoked", revokedUnread(unread.path, unread.said))]),
  ];
  const waiting = (await shelf.proposals()).length;
  const waits = waiting === 0 ? [] : [warning("skills.waiting", changesWait(waiting), "evander skill review")];
  return faults.length > 0 ? [...faults, ...waits] : [ok("skills", DOCTOR.skills(skills.length)), ...waits];
}

/** A list reads no more than the header of each: what stands below it may keep a skill from being told. */
async function untoldOf(shelf: SkillShelf, { name, folder, root }: Skill): Promise<Finding[]> {
  const view = root === "bundled" ? undefined : await shelf.view(name);
  if (view === undefined || "skill" in view) return [];
  return [warning("skills", DOCTOR.skillTrouble(dirname(folder), view.sentence), `evander skill scan ${name}`)];
}

function changedSince(drift: SkillDrift): Finding[] {
  const files = driftFiles(drift);
  if (files.length === 0) return [];
  const { en, zh } = changedSkill(files);
  return [
    warning(
      "skills.changed",
      { en: `${drift.name}: ${en}`, zh: `${drift.name}：${zh}` },
      `evander skill scan ${drift.name}`,
    ),
  ];
}
