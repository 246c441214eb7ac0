import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DISK } from "../disk.ts";
import { archivePath, archiveSkill } from "./archive.ts";
import type { Effect } from "./plan.ts";

/** Beside the skills; it is no skill, and no prompt reads it. */
const STAGING = ".staging";

/**
 * Does what was planned, in one step of the file system: whoever dies leaves the old skill or the new one. What is
 * replaced or taken away is kept in the archive first. Nobody else writes meanwhile.
 */
export function keep(effect: Effect, nowMs: number): void {
  const { name } = effect;
  const root = effect.root.folder;
  const folder = join(root, name);
  const keptAt = (path: string): string => madeWay(join(archivePath(root, name, nowMs), path));
  if (effect.do === "drop") {
    if (effect.path === undefined) archiveSkill(root, name, nowMs);
    else renameSync(join(folder, effect.path), keptAt(effect.path));
    return;
  }
  const { path, text } = effect;
  // What lies there is of somebody who died.
  rmSync(join(root, STAGING), { recursive: true, force: true });
  const draft = join(root, STAGING, name);
  DISK.draft(madeWay(join(draft, path)), text);
  if (!existsSync(folder)) return DISK.place(draft, folder);
  const target = join(folder, path);
  if (existsSync(target)) copyFileSync(target, keptAt(path));
  DISK.place(join(draft, path), madeWay(target));
}

/** A path whose folder is there. */
function madeWay(path: string): string {
  DISK.makeFolder(dirname(path));
  return path;
}
