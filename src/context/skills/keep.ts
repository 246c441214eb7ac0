import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Effect } from "./plan.ts";

/** Beside the skills; none of them is a skill, and no prompt reads them. */
const STAGING = ".staging";
const ARCHIVE = ".archive";

/**
 * Does what was planned, in one step of the file system: whoever dies leaves the old skill or the new one. What is
 * replaced or taken away is kept in the archive first. Nobody else writes meanwhile.
 */
export function keep(effect: Effect, nowMs: number): void {
  const { root, name, path } = effect;
  const folder = join(root.folder, name);
  if (effect.do === "drop") {
    const kept = archiveFolder(root.folder, name, nowMs);
    if (path === undefined) renameSync(folder, kept);
    else move(join(folder, path), join(kept, path));
    return;
  }
  const target = join(folder, effect.path);
  if (!existsSync(folder)) {
    const draft = draftOf(root.folder, name);
    writeWhole(join(draft, effect.path), effect.text);
    renameSync(draft, folder);
    return;
  }
  if (existsSync(target)) copy(target, join(archiveFolder(root.folder, name, nowMs), effect.path));
  const draft = join(draftOf(root.folder, name), "draft");
  writeWhole(draft, effect.text);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(draft, target);
}

/** Of a file, which appears whole. */
export function writeFileAt(root: string, path: string, text: string): void {
  const draft = join(draftOf(root, "file"), "draft");
  writeWhole(draft, text);
  mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o700 });
  renameSync(draft, join(root, path));
}

/** What lies there is of somebody who died. */
function draftOf(root: string, name: string): string {
  const staging = join(root, STAGING);
  rmSync(staging, { recursive: true, force: true });
  return join(staging, name);
}

function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function archiveFolder(root: string, name: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(":", "-");
  const archive = join(root, ARCHIVE, name);
  mkdirSync(archive, { recursive: true, mode: 0o700 });
  for (let number = 1; ; number++) {
    const folder = join(archive, number === 1 ? stamp : `${stamp}-${number}`);
    if (!existsSync(folder)) return folder;
  }
}

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
}
