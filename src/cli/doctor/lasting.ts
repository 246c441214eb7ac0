import type { Config } from "../../config/config.ts";
import type { Folders } from "../../config/folders.ts";
import { NOTE_FILES } from "../../protocol/memory.ts";
import { DOCTOR } from "../../words/doctor.ts";
import { changesWait } from "../../words/memory.ts";
import type { Adapters } from "../adapters.ts";
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

/** What lies where skills do and is none, and what waits for a person. */
export async function checkSkills(adapters: Adapters, { folders, settings }: Config, cwd: string): Promise<Finding[]> {
  const shelf = adapters.openSkills({ folders, cwd, off: settings.skillsOff });
  const { skills, troubles } = await shelf.list();
  const faults = troubles.map(({ path, sentence }) =>
    warning("skills", DOCTOR.skillTrouble(path, sentence), "evander skill list"),
  );
  const waiting = (await shelf.proposals()).length;
  const waits = waiting === 0 ? [] : [warning("skills.waiting", changesWait(waiting), "evander skill review")];
  return faults.length > 0 ? [...faults, ...waits] : [ok("skills", DOCTOR.skills(skills.length)), ...waits];
}
