import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Settings of a repository that neither name a program nor lead elsewhere, or that the environment overrules. */
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
  // What a command that nobody was asked about sees is `/dev/null` (command-environment.ts).
  "core.hookspath",
  "user.name",
  "user.email",
  "remote.url",
  "remote.pushurl",
  "remote.fetch",
  "branch.remote",
  "branch.merge",
  "branch.rebase",
  "branch.vscode-merge-base",
  "branch.gh-merge-base",
  "branch.description",
  "remote.gh-resolved",
  "push.default",
  "push.autosetupremote",
  "fetch.prune",
  "gc.auto",
  "commit.gpgsign",
  "color.ui",
  "init.defaultbranch",
  "pull.rebase",
]);

/** A repository's own settings can name programs that git runs even to look (security §3.1 C6). */
export function repositoryProblem(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    // git takes a folder that looks like the inside of a repository for one, whoever made it.
    if (exists(join(at, "HEAD")) && exists(join(at, "objects")))
      return "git would take this folder for a bare repository.";
    if (exists(join(at, ".git")))
      return brokenProblem(join(at, ".git")) ?? submoduleProblem(at) ?? settingsProblem(join(at, ".git", "config"));
    if (at === dirname(at)) return undefined;
  }
}

/** Past a folder that only looks like one, git takes the repository above it, with other settings. */
function brokenProblem(folder: string): string | undefined {
  const isWhole = ["objects", "refs"].every((name) => exists(join(folder, name))) && hasHead(join(folder, "HEAD"));
  return isWhole ? undefined : "The git repository here is not whole, so git may take another one.";
}

function hasHead(path: string): boolean {
  try {
    return /^(?:ref: refs\/[\w./-]+|[\da-f]{40}|[\da-f]{64})\n?$/.test(readFileSync(path, "utf8"));
  } catch {
    return false;
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

export const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
