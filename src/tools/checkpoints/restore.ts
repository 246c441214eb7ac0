import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { isRealFolder, parentOf } from "./roots.ts";
import { onDisk, type RawPath, readState, type State, type StateText } from "./state.ts";

/** What is to stand at a path; null: nothing. */
export interface Target {
  readonly path: RawPath;
  readonly state: StateText | null;
}

/**
 * Puts files, links and folders to what they are to be: first what is in the way goes, from the inside out; then what is
 * missing comes, from the outside in; the modes of folders last. Each file is the old one or the new one, whoever dies.
 * Returns the paths that could not be put back. `content`: of what is kept.
 */
export function restore(targets: readonly Target[], content: (hash: string) => Buffer | undefined): RawPath[] {
  const failed: RawPath[] = [];
  const doors = new Map<RawPath, number>();
  const each = (
    list: readonly Target[],
    work: (target: Target) => void,
    isNeeded: (target: Target) => boolean = () => false,
  ): void => {
    for (const target of list)
      try {
        // A link on the way would lead the work out of its place.
        const isThere = isRealFolder(parentOf(target.path));
        if (isThere) openDoor(parentOf(target.path), doors);
        if (isThere) work(target);
        else if (isNeeded(target)) failed.push(target.path);
      } catch {
        failed.push(target.path);
      }
  };
  const outsideIn = targets.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const insideOut = outsideIn.toReversed();
  each(insideOut, removeWrong);
  each(
    outsideIn.filter(({ path }) => !failed.includes(path)),
    (target) => make(target, content),
    ({ state }) => state !== null,
  );
  for (const { path, state } of insideOut)
    if (state !== null && readState(state).type === "folder") doors.set(path, modeIn(state));
  closeDoors(doors);
  for (const folder of new Set(outsideIn.map(({ path }) => parentOf(path)))) syncFolder(folder);
  return [...new Set(failed)];
}

function modeIn(state: StateText): number {
  const read = readState(state);
  return read.type === "folder" ? read.mode : 0o700;
}

const OWNER_ALL = 0o700;

/** Work in a folder that its owner may not write goes on while it is open; its mode comes back at the end. */
function openDoor(folder: RawPath, doors: Map<RawPath, number>): void {
  const { mode } = lstatSync(onDisk(folder));
  if ((mode & OWNER_ALL) === OWNER_ALL) return;
  if (!doors.has(folder)) doors.set(folder, mode & 0o7777);
  chmodSync(onDisk(folder), (mode & 0o7777) | OWNER_ALL);
}

function closeDoors(doors: ReadonlyMap<RawPath, number>): void {
  const insideOut = [...doors].toSorted(([one], [other]) => (one < other ? 1 : -1));
  for (const [folder, mode] of insideOut)
    if (lstatSync(onDisk(folder), { throwIfNoEntry: false })?.isDirectory() === true) chmodSync(onDisk(folder), mode);
}

function removeWrong({ path, state }: Target): void {
  const stats = lstatSync(onDisk(path), { throwIfNoEntry: false });
  if (stats === undefined) return;
  const wanted = state === null ? "nothing" : readState(state).type;
  if (stats.isDirectory()) {
    if (wanted === "folder") return;
    if ((stats.mode & OWNER_ALL) !== OWNER_ALL) chmodSync(onDisk(path), stats.mode | OWNER_ALL);
    rmdirSync(onDisk(path));
  } else if (wanted === "nothing" || wanted === "folder") unlinkSync(onDisk(path));
}

function make({ path, state }: Target, content: (hash: string) => Buffer | undefined): void {
  if (state === null) return;
  const wanted = readState(state);
  switch (wanted.type) {
    case "folder":
      if (lstatSync(onDisk(path), { throwIfNoEntry: false }) === undefined) mkdirSync(onDisk(path), OWNER_ALL);
      return;
    case "link":
    case "file":
      return replace(path, wanted, content);
    case "unkept":
      throw new Error("it was not kept");
  }
}

function replace(
  path: RawPath,
  wanted: Extract<State, { type: "file" | "link" }>,
  content: (hash: string) => Buffer | undefined,
): void {
  const draft = onDisk(`${parentOf(path)}/.evander-${randomUUID()}.tmp`);
  try {
    if (wanted.type === "link") symlinkSync(onDisk(wanted.target), draft);
    else write(draft, wanted, content(wanted.hash));
    renameSync(draft, onDisk(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function write(draft: string | Buffer, { mode }: { readonly mode: number }, bytes: Buffer | undefined): void {
  if (bytes === undefined) throw new Error("its content is not kept");
  const file = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(file, bytes);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(folder: RawPath): void {
  try {
    const file = openSync(onDisk(folder), "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // It is gone, or its system has no such call; the file is in its place.
  }
}
