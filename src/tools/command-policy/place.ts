import { readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { dirname, join } from "node:path";
import type { CommandPlace } from "./options.ts";
import { canonicalPath, PathError, whyAskToRead, whyPrivate, type Place } from "../paths.ts";

/** A larger tree is not looked through before a question; the question is asked instead. */
const MAX_TREE = 5_000;

/** Judges the paths of a command that starts in `cwd` by the files that are there now. */
export function commandPlace(place: Place, cwd: string): CommandPlace {
  const resolve = (path: string, folder: string): string => canonicalPath(path, { cwd: folder, home: place.home });
  const whyNotRead = (path: string, folder: string): string | undefined => {
    try {
      return whyAskToRead(resolve(path, folder), place);
    } catch (error) {
      if (error instanceof PathError) return error.message;
      throw error;
    }
  };
  return {
    cwd,
    resolve,
    whyNotRead,
    whyNotReadTree: (path, folder) => whyNotRead(path, folder) ?? treeProblem(resolve(path, folder), place),
    whyNotGit: repositoryProblem,
  };
}

function treeProblem(root: string, place: Place): string | undefined {
  const pending = [root];
  let seen = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (seen > MAX_TREE) return "The command reads a tree too large to be looked through beforehand.";
      const path = join(folder, entry.name);
      const why = whyPrivate(path, place);
      if (why !== undefined) return why;
      if (entry.isDirectory()) pending.push(path);
    }
  }
  return undefined;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Settings of a repository that neither name a program nor lead elsewhere. */
const PLAIN_SETTINGS = new Set([
  "core.repositoryformatversion",
  "core.filemode",
  "core.bare",
  "core.logallrefupdates",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.symlinks",
  "core.autocrlf",
  "core.eol",
  "user.name",
  "user.email",
  "remote.url",
  "remote.pushurl",
  "remote.fetch",
  "branch.remote",
  "branch.merge",
  "branch.rebase",
  "init.defaultbranch",
  "pull.rebase",
]);

/** A repository's own settings can name programs that git runs even to look (security §3.1 C6). */
function repositoryProblem(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    // git takes a folder that looks like the inside of a repository for one, whoever made it.
    if (exists(join(at, "HEAD")) && exists(join(at, "objects")))
      return "git would take this folder for a bare repository.";
    if (exists(join(at, ".git"))) return submoduleProblem(at) ?? settingsProblem(join(at, ".git", "config"));
    if (at === dirname(at)) return undefined;
  }
}

function submoduleProblem(root: string): string | undefined {
  if (exists(join(root, ".git", "commondir"))) return "The settings of this git repository are kept elsewhere.";
  return exists(join(root, ".gitmodules"))
    ? "This git repository has others inside it, with their own settings."
    : undefined;
}

function settingsProblem(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return "The settings of this git repository are not where they usually are.";
  }
  let section = "";
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const header = /^\[\s*([\w-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]$/.exec(line);
    if (header !== null) {
      section = (header[1] ?? "").toLowerCase();
      continue;
    }
    const name = /^([\w-]+)\s*=.*[^\\]$/.exec(line)?.[1]?.toLowerCase();
    if (name === undefined || !PLAIN_SETTINGS.has(`${section}.${name}`)) {
      return "The settings of this git repository may make git run programs.";
    }
  }
  return undefined;
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
