import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SkillRecord } from "../../../protocol/skill-install.ts";
import { DISK } from "../../disk.ts";
import { archiveSkill, recordPath } from "../archive.ts";
import type { SkillFile } from "./read-folder.ts";
import { recordIn } from "./records.ts";

/** Beside the skills of a user: what is being put into place. No skill has such a name. */
const INCOMING = ".incoming";
/** Of a folder in INCOMING: it is whole, and agreed to. */
const AGREED = "agreed.json";

export interface Placed {
  readonly folder: string;
  /** Where what was there before is kept. */
  readonly archived: string | undefined;
}

/**
 * Puts a skill into place, whole or not at all: it is written beside, the agreement last, and then moved. Whoever dies on
 * the way leaves the old one, or an agreement that `finishPlacing` carries out. The lock of the folder is held.
 */
export function place(root: string, record: SkillRecord, files: readonly SkillFile[]): Placed {
  const draft = join(root, INCOMING, randomUUID());
  for (const { path, content, executable } of files) {
    const file = join(draft, "skill", path);
    DISK.makeFolder(dirname(file));
    DISK.draft(file, content, executable ? 0o700 : 0o600);
  }
  DISK.replace(join(draft, AGREED), JSON.stringify(record));
  return carryOut(root, draft, record);
}

/** Carries out what was agreed to before a process died, and forgets what was not. The lock of the folder is held. */
export function finishPlacing(root: string): void {
  for (const name of namesIn(join(root, INCOMING))) {
    const draft = join(root, INCOMING, name);
    const record = agreedIn(draft);
    if (record === undefined) rmSync(draft, { recursive: true, force: true });
    else carryOut(root, draft, record);
  }
}

/** Whether somebody has died in the middle, or is just at it. */
export const isPlacing = (root: string): boolean => namesIn(join(root, INCOMING)).length > 0;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function agreedIn(draft: string): SkillRecord | undefined {
  try {
    return recordIn(JSON.parse(readFileSync(join(draft, AGREED), "utf8")));
  } catch {
    return undefined;
  }
}

/** Each step may have been done already. */
function carryOut(root: string, draft: string, record: SkillRecord): Placed {
  const { id } = record.manifest;
  const folder = join(root, id);
  const isMoved = !existsSync(join(draft, "skill"));
  const archived = isMoved || !existsSync(folder) ? undefined : archiveSkill(root, id, record.installedMs);
  if (!isMoved) DISK.place(join(draft, "skill"), folder);
  DISK.replace(recordPath(root, id), `${JSON.stringify(record, undefined, 2)}\n`);
  rmSync(draft, { recursive: true, force: true });
  return { folder, archived };
}
