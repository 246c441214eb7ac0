import { mkdirSync, readFileSync, readlinkSync, renameSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../paths.ts";
import { type Layout, lookAt, namesIn, realOf } from "./layout.ts";

/** What makes other programs run something (security §3.3), below a folder that is written in: read alone, also where it is not there. */
const NAMES = ".mcp.json .envrc .vscode .idea .cursor .evander".split(" ");
/** The same of a folder in which git keeps something. */
const GIT_NAMES = "hooks config config.worktree modules worktrees".split(" ");
/** What tells agents something: those that are there are read alone. What they tell decides nothing, so new ones may come. */
const INSTRUCTIONS = ".cursorrules .agents .gitmodules AGENTS.md CLAUDE.md GEMINI.md EVANDER.md .evander.md".split(" ");
/** In a home folder also what shells read. */
const SHELLS =
  ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .kshrc .gitconfig .config".split(
    " ",
  );

/** How many boxes of this process need a folder that was made for them. */
const held = new Map<string, number>();

export interface Protected {
  /** Takes back what was made for it, and puts back links that were changed. */
  readonly release: () => void;
}

/** What is taken back when a box has ended. */
interface Kept {
  readonly made: string[];
  readonly links: { readonly path: string; readonly target: string }[];
  /** What nobody may leave there: it is taken away. */
  readonly unwanted: string[];
}

const nothingKept = (): Kept => ({ made: [], links: [], unwanted: [] });

/**
 * Puts what steers other programs into the layout. What is not there gets an empty folder to stand on, which is removed
 * again: git sees no empty folders, and nothing else is ever removed.
 */
export function protect(layout: Layout, folder: string, home: string): Protected {
  const kept = nothingKept();
  const gits = pinGit(layout, folder, kept);
  const names = isInside(folder, home) ? [...NAMES, ...SHELLS] : NAMES;
  for (const name of names) guard(layout, join(folder, name), kept);
  for (const git of gits) guardGit(layout, git, kept);
  for (const name of INSTRUCTIONS) {
    const path = join(folder, name);
    if (["file", "folder"].includes(lookAt(path))) layout.set(path, "read");
  }
  return { release: () => release(kept) };
}

function guard(layout: Layout, path: string, kept: Kept): void {
  const found = lookAt(path);
  if (found === "link") kept.links.push({ path, target: readlinkSync(path) });
  else if (found !== "nothing" && !isFree(path)) layout.set(path, "read");
  else if (stand(path)) {
    kept.made.push(path);
    layout.set(path, "hidden");
  }
}

/** A folder in which git keeps something is written, but for what makes it run programs or leads it elsewhere. */
function guardGit(layout: Layout, git: string, kept: Kept): void {
  layout.set(git, "write");
  for (const name of GIT_NAMES) guard(layout, join(git, name), kept);
  const [commondir, gitdir] = [join(git, "commondir"), join(git, "gitdir")];
  if (lookAt(gitdir) === "file") layout.set(gitdir, "read");
  // Git reads its settings from where this leads, and stops at whatever else stands there.
  if (lookAt(commondir) === "nothing") kept.unwanted.push(commondir);
  else layout.set(commondir, "read");
}

function release({ made, links, unwanted }: Kept): void {
  for (const path of unwanted) rmSync(path, { recursive: true, force: true });
  for (const path of made) letGo(path);
  for (const link of links) putBack(link);
}

/**
 * The folders in which git keeps what belongs to this one. A mount of its own cannot be renamed, nor anything in it be linked
 * to from outside.
 */
function pinGit(layout: Layout, folder: string, kept: Kept): readonly string[] {
  const git = join(folder, ".git");
  switch (isFree(git) ? "nothing" : lookAt(git)) {
    case "folder":
      return [git];
    case "file":
      layout.set(git, "read");
      return linkedFrom(git);
    case "link":
      return [];
    case "nothing":
      // A new repository would bring settings that make git run programs.
      if (stand(git)) {
        kept.made.push(git);
        layout.set(git, "hidden");
      }
      return [];
  }
}

/**
 * Of a worktree or a submodule, where git keeps it, if that says so too: `.git/worktrees/NAME` of a repository, which goes
 * with it, or `.git/modules/NAME` alone.
 */
function linkedFrom(git: string): readonly string[] {
  const target = /^gitdir: (?<path>.+?)\s*$/u.exec(read(git))?.groups?.["path"] ?? "";
  const own = resolve(dirname(git), target);
  const place = /^(?<common>\/.*\/\.git)\/(?:(?<worktree>worktrees\/[^/\n]+)|modules\/[^\n]+)$/u.exec(own)?.groups;
  if (place === undefined || realOf(own) !== own) return [];
  const isWorktree = place["worktree"] !== undefined;
  const knows = isWorktree ? resolve(own, read(join(own, "gitdir")).trim()) : join(checkedOutFrom(own), ".git");
  if (knows !== git) return [];
  return isWorktree ? [place["common"] ?? "", own] : [own];
}

/** The folder that the settings of a submodule say it is checked out in. */
const checkedOutFrom = (own: string): string =>
  resolve(own, /^\s*worktree = (?<path>.+?)\s*$/mu.exec(read(join(own, "config")))?.groups?.["path"] ?? "");

/**
 * Of a folder in a repository, the repository: what lies around the folder is read, and what git keeps is written but for what
 * makes it run programs.
 */
export function shareRepository(layout: Layout, folder: string, home: string): Protected {
  const kept = nothingKept();
  const around = lookAt(join(folder, ".git")) === "nothing" ? repositoryAround(folder, home) : undefined;
  if (around !== undefined) {
    if (!layout.has(around)) layout.set(around, "read");
    guardGit(layout, join(around, ".git"), kept);
  }
  return { release: () => release(kept) };
}

/** Nothing above the home folder is looked at, nor the home folder itself. */
function repositoryAround(folder: string, home: string): string | undefined {
  const around = dirname(folder);
  if (around === folder || around === home) return undefined;
  const git = join(around, ".git");
  return lookAt(git) === "folder" && !isFree(git) ? around : repositoryAround(around, home);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Nothing is there, or what was made to stand on: by another box, or by a process that died before it took it away. */
const isFree = (path: string): boolean =>
  held.has(path) || lookAt(path) === "nothing" || (lookAt(path) === "folder" && namesIn(path).length === 0);

function stand(path: string): boolean {
  try {
    if (lookAt(path) === "nothing") mkdirSync(path, { mode: 0o755 });
  } catch {
    // Whoever cannot make it here cannot make it there.
    return false;
  }
  held.set(path, (held.get(path) ?? 0) + 1);
  return true;
}

function letGo(path: string): void {
  const left = (held.get(path) ?? 1) - 1;
  if (left > 0) {
    held.set(path, left);
    return;
  }
  held.delete(path);
  // Another process of ours may stand on it: then it keeps it, and takes it away itself.
  if (isMountedElsewhere(path)) return;
  try {
    rmdirSync(path);
  } catch {
    // It is not empty, so it is not what was made here.
  }
}

/** In the box of any process that can be looked at. */
function isMountedElsewhere(path: string): boolean {
  const seen = new Set<string>();
  return namesIn("/proc").some((pid) => {
    if (!/^\d+$/u.test(pid)) return false;
    const space = linkText(`/proc/${pid}/ns/mnt`);
    if (space === undefined || seen.has(space)) return false;
    seen.add(space);
    return read(`/proc/${pid}/mountinfo`).includes(` ${path.replaceAll(" ", "\\040")} `);
  });
}

function linkText(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Nothing can stand on a link: what took its place is put aside. */
function putBack({ path, target }: { readonly path: string; readonly target: string }): void {
  if (linkText(path) === target) return;
  try {
    if (lookAt(path) !== "nothing") renameSync(path, `${path}.${randomUUID().slice(0, 8)}`);
    symlinkSync(target, path);
  } catch {
    // The folder itself is gone.
  }
}
