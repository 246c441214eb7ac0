import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { SkillRecord } from "../../../protocol/skill-install.ts";
import type { SkillFile } from "./read-folder.ts";
import { recordIn, recordPath } from "./records.ts";

/** Beside the skills of a user: what is being put into place, and what was there before. No skill has such a name. */
const INCOMING = ".incoming";
const ARCHIVE = ".archive";
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
  for (const { path, content, executable } of files)
    writeDurably(join(draft, "skill", path), content, executable ? 0o700 : 0o600);
  syncFolder(join(draft, "skill"));
  writeDurably(join(draft, "agreed.new"), JSON.stringify(record), 0o600);
  renameSync(join(draft, "agreed.new"), join(draft, AGREED));
  syncFolder(draft);
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
  const archived = isMoved || !existsSync(folder) ? undefined : archive(root, id);
  if (!isMoved) renameSync(join(draft, "skill"), folder);
  writeDurably(`${recordPath(root, id)}.new`, `${JSON.stringify(record, undefined, 2)}\n`, 0o600);
  renameSync(`${recordPath(root, id)}.new`, recordPath(root, id));
  syncFolder(root);
  rmSync(draft, { recursive: true, force: true });
  return { folder, archived };
}

/** Moves a skill out of use, with what is known of its installation beside it. The lock of the folder is held. */
export function archive(root: string, name: string): string {
  const kept = join(root, ARCHIVE, `${name}-${stamp()}`);
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
  if (existsSync(recordPath(root, name))) renameSync(recordPath(root, name), `${kept}.json`);
  renameSync(join(root, name), kept);
  syncFolder(root);
  return kept;
}

/** Two of one moment differ in what is random. */
const stamp = (): string => `${new Date().toISOString().slice(0, 19).replaceAll(":", "")}-${randomUUID().slice(0, 4)}`;

function writeDurably(path: string, content: Buffer | string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "w", mode);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** So that a power cut keeps the names as well. Some systems have no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
