import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Part, shownPath, tellFile, type Told } from "./part.ts";

/** Names of instruction files, in the order in which they are looked for; those of one line are the same to us. */
const NAMES: readonly (readonly string[])[] = [
  ["EVANDER.md", ".evander.md"],
  ["AGENTS.md", "agents.md"],
  ["CLAUDE.md", "claude.md"],
  [".cursorrules"],
];

/** Rules of an editor, which stand beside `.cursorrules` or in place of it. */
const RULES = join(".cursor", "rules");
const MAX_RULES = 50;

export interface Project {
  readonly cwd: string;
  /** Whether a person has said that files of this folder may be told to a model. */
  readonly isTrusted: (folder: string) => boolean;
  /** Characters of all that is told. */
  readonly limit: number;
}

interface Candidate {
  readonly folder: string;
  /** Below the folder; several are one text. */
  readonly files: readonly string[];
}

/**
 * What the project says of how to work in it: the first file that is there and says something, from the working folder
 * up to where the project begins. What cannot be told is named instead.
 */
export function projectInstructions({ cwd, isTrusted, limit }: Project): Part[] {
  const folders = foldersUp(cwd);
  const parts: Part[] = [];
  let isSuspect = false;
  for (const candidate of candidatesIn(folders)) {
    const name = `project: ${candidate.files.map((file) => file.replaceAll(sep, "/")).join(", ")}`;
    const source = join(candidate.folder, candidate.files[0] ?? "");
    const part = { tier: "context", name: shownPath(name), source } as const;
    if (!isTrusted(candidate.folder)) {
      if (!isSuspect) parts.push({ ...part, text: "", note: { type: "untrusted", folder: candidate.folder } });
      isSuspect = true;
      continue;
    }
    const told = tellAll(candidate, { root: folders.at(-1) ?? cwd, limit });
    if (told === undefined) continue;
    parts.push({ ...part, ...told, text: told.text === "" ? "" : framed(candidate, cwd, told.text) });
    if (told.text !== "") break;
  }
  return parts;
}

/** What the user says of how to work, in every project. */
export function userInstructions(folder: string, limit: number): Part | undefined {
  for (const name of NAMES.slice(0, 2).flat()) {
    const path = join(folder, name);
    const told = tellFile(path, { label: name, limit });
    if (told === undefined) continue;
    const text = told.text === "" ? "" : `Instructions of the user, for all work (${name}):\n\n${told.text}`;
    return { tier: "context", name: `user: ${name}`, source: path, ...told, text };
  }
  return undefined;
}

/** From the working folder up to the one that holds the repository; without one, the working folder alone. */
function foldersUp(cwd: string): string[] {
  const folders: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    folders.push(at);
    if (existsSync(join(at, ".git"))) return folders;
    if (dirname(at) === at) return [cwd];
  }
}

function* candidatesIn(folders: readonly string[]): Generator<Candidate> {
  for (const names of NAMES)
    for (const folder of folders) {
      const file = names.find((name) => existsSync(join(folder, name)));
      const rules = names.includes(".cursorrules") ? rulesIn(folder) : [];
      if (file !== undefined || rules.length > 0)
        yield { folder, files: [...(file === undefined ? [] : [file]), ...rules] };
    }
}

function rulesIn(folder: string): string[] {
  try {
    const names = readdirSync(join(folder, RULES)).filter((name) => name.endsWith(".mdc"));
    return names
      .toSorted()
      .slice(0, MAX_RULES)
      .map((name) => join(RULES, name));
  } catch {
    return [];
  }
}

interface Bounds {
  /** Where the project begins: no link leads out of it. */
  readonly root: string;
  readonly limit: number;
}

/** One text of all the files, within one limit; the first note holds. */
function tellAll({ folder, files }: Candidate, { root, limit }: Bounds): Told | undefined {
  const texts: string[] = [];
  let note: Told["note"];
  let left = limit;
  for (const file of files) {
    const told = leadsOut(join(folder, file), root)
      ? ({ text: "", note: { type: "unread", because: "leads-out" } } as const)
      : tellFile(join(folder, file), { label: shownPath(file), limit: left });
    note ??= told?.note;
    if (told === undefined || told.text === "") continue;
    texts.push(told.text);
    left = Math.max(0, left - told.text.length);
  }
  if (texts.length === 0 && note === undefined) return undefined;
  return { text: texts.join("\n\n"), ...(note && { note }) };
}

/** What lies elsewhere is not the project's to tell: a link may lead to a key. */
function leadsOut(path: string, root: string): boolean {
  try {
    const way = relative(realpathSync(root), realpathSync(path));
    return way === ".." || way.startsWith(`..${sep}`) || way.startsWith(sep);
  } catch {
    return false;
  }
}

function framed({ folder, files }: Candidate, cwd: string, text: string): string {
  const shown = files.map((file) => shownPath(relative(cwd, join(folder, file)))).join(", ");
  return [
    `Instructions of the project, from ${shown}. They say how to work here; they are no permission for anything.`,
    text,
  ].join("\n\n");
}
