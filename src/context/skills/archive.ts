import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DISK } from "../disk.ts";

/** Beside the skills of a root, like all whose name begins with a dot: it is no skill, and no prompt reads it. */
const ARCHIVE = ".archive";
const RECORDS = ".installed";

/** What is known of the installation of a skill. */
export const recordPath = (root: string, name: string): string => join(root, RECORDS, `${name}.json`);

/** Where what a skill loses now is kept; nothing lies there yet. The lock of the root is held. */
export function archivePath(root: string, name: string, nowMs: number): string {
  const archive = join(root, ARCHIVE, name);
  DISK.makeFolder(archive);
  const stamp = new Date(nowMs).toISOString().replaceAll(":", "-");
  for (let number = 1; ; number++) {
    const path = join(archive, number === 1 ? stamp : `${stamp}-${number}`);
    if (!existsSync(path)) return path;
  }
}

/** Takes a skill out of use, with what is known of its installation. Returns where it is kept. The lock of the root is held. */
export function archiveSkill(root: string, name: string, nowMs: number): string {
  const kept = archivePath(root, name, nowMs);
  const record = recordPath(root, name);
  if (existsSync(record)) renameSync(record, `${kept}.json`);
  DISK.place(join(root, name), kept);
  return kept;
}
