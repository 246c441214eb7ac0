import { mkdirSync, readFileSync, readlinkSync, renameSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { isInside } from "../paths.ts";
import { type Layout, lookAt, namesIn, realOf } from "./layout.ts";

/** What makes other programs run something (security §3.3), below a folder that is written in: read alone, also where it is not there. */
const NAMES =
  ".git/hooks .git/config .git/config.worktree .git/modules .git/worktrees .mcp.json .envrc .vscode .idea .cursor .evander".split(
    " ",
  );
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

/**
 * Puts what steers other programs into the layout. What is not there gets an empty folder to stand on, which is removed
 * again: git sees no empty folders, and nothing else is ever removed.
 */
export function protect(layout: Layout, folder: string, home: string): Protected {
  const made: string[] = [];
  const links: { readonly path: string; readonly target: string }[] = [];
  const names = isInside(folder, home) ? [...NAMES, ...SHELLS] : NAMES;
  const gitIsThere = pinGit(layout, folder, made);
  for (const name of names.filter((each) => gitIsThere || !each.startsWith(".git/"))) {
    const path = join(folder, name);
    const found = lookAt(path);
    if (found === "link") links.push({ path, target: readlinkSync(path) });
    else if (found !== "nothing" && !isFree(path)) layout.set(path, "read");
    else if (stand(path)) {
      made.push(path);
      layout.set(path, "hidden");
    }
  }
  for (const name of INSTRUCTIONS) {
    const path = join(folder, name);
    if (["file", "folder"].includes(lookAt(path))) layout.set(path, "read");
  }
  // Git reads its settings from where this leads, and stops at whatever else stands there: it is taken away afterwards.
  const commondir = join(folder, ".git/commondir");
  const isNew = gitIsThere && lookAt(commondir) === "nothing";
  return {
    release: () => {
      if (isNew) rmSync(commondir, { recursive: true, force: true });
      for (const path of made) letGo(path);
      for (const link of links) putBack(link);
    },
  };
}

/** A mount of its own cannot be renamed, nor anything in it be linked to from outside. False: nothing of git's is protected. */
function pinGit(layout: Layout, folder: string, made: string[]): boolean {
  const git = join(folder, ".git");
  switch (isFree(git) ? "nothing" : lookAt(git)) {
    case "folder":
      layout.set(git, "write");
      return true;
    case "file":
      layout.set(git, "read");
      shareWorktree(layout, git);
      return false;
    case "link":
      return false;
    case "nothing":
      // A new repository would bring settings that make git run programs.
      if (stand(git)) {
        made.push(git);
        layout.set(git, "hidden");
      }
      return false;
  }
}

/** Of a worktree, the repository it belongs to, where that knows it too: its settings and hooks are read alone. */
function shareWorktree(layout: Layout, git: string): void {
  const target = /^gitdir: (?<path>\/.+)\/\.git\/worktrees\/(?<name>[^/\n]+)\s*$/u.exec(read(git))?.groups;
  if (target === undefined) return;
  const common = join(target["path"] ?? "", ".git");
  const own = join(common, "worktrees", target["name"] ?? "");
  if (realOf(own) !== own || read(join(own, "gitdir")).trim() !== git) return;
  layout.set(common, "write");
  for (const name of ["hooks", "config", "modules", "worktrees"])
    if (lookAt(join(common, name)) !== "nothing") layout.set(join(common, name), "read");
  layout.set(own, "write");
  for (const name of ["commondir", "gitdir", "config.worktree"])
    if (lookAt(join(own, name)) !== "nothing") layout.set(join(own, name), "read");
}

/**
 * Of a folder in a repository, the repository: what lies around the folder is read, and what git keeps is written but for what
 * makes it run programs.
 */
export function shareRepository(layout: Layout, folder: string, home: string): void {
  if (lookAt(join(folder, ".git")) !== "nothing") return;
  const around = repositoryAround(folder, home);
  if (around === undefined) return;
  if (!layout.has(around)) layout.set(around, "read");
  layout.set(join(around, ".git"), "write");
  for (const name of NAMES.filter((each) => each.startsWith(".git/")))
    if (lookAt(join(around, name)) !== "nothing") layout.set(join(around, name), "read");
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
