import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Part, tellFile, type Told } from "./part.ts";
import { shownPath } from "./shown-path.ts";

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

/** With less room than this nothing is told of one more file. */
const LEAST_CHARS = 200;
/** Of those that are not told. */
const MAX_NAMED = 20;

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
    const { folder, files } = candidate;
    if (!isTrusted(folder)) {
      if (!isSuspect) parts.push({ ...partOf(folder, files[0] ?? ""), note: { type: "untrusted", folder } });
      isSuspect = true;
      continue;
    }
    const told = tellAll(candidate, { root: folders.at(-1) ?? cwd, limit });
    parts.push(...framed(told, cwd));
    if (told.some(({ text }) => text !== "")) break;
  }
  return parts;
}

/** A part that says nothing as yet. */
const partOf = (folder: string, file: string): Part => ({
  tier: "context",
  name: shownPath(`project: ${file.replaceAll(sep, "/")}`),
  source: join(folder, file),
  text: "",
});

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
      const file = names.find((name) => isThere(join(folder, name)));
      const rules = names.includes(".cursorrules") ? rulesIn(folder) : [];
      if (file !== undefined || rules.length > 0)
        yield { folder, files: [...(file === undefined ? [] : [file]), ...rules] };
    }
}

/** A link that leads nowhere is there, and is named. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function rulesIn(folder: string): string[] {
  try {
    const names = readdirSync(join(folder, RULES)).filter((name) => name.endsWith(".mdc"));
    return names.toSorted().map((name) => join(RULES, name));
  } catch {
    return [];
  }
}

interface Bounds {
  /** Where the project begins: no link leads out of it. */
  readonly root: string;
  readonly limit: number;
}

/** A part for each of the files that says something, or of which there is something to say, all within one limit. */
function tellAll({ folder, files }: Candidate, { root, limit }: Bounds): Part[] {
  const parts: Part[] = [];
  let left = limit;
  for (const [at, file] of files.entries()) {
    const path = join(folder, file);
    const isFull = at > MAX_RULES || (at > 0 && left < LEAST_CHARS);
    if (isFull) return [...parts, { ...partOf(folder, file), ...noRoomFor(files.slice(at)) }];
    const told = leadsOut(path, root) ? LEADS_OUT : tellFile(path, { label: shownPath(file), limit: left });
    if (told === undefined) continue;
    parts.push({ ...partOf(folder, file), ...told });
    left -= told.text.length;
  }
  return parts;
}

const LEADS_OUT = { text: "", note: { type: "unread", because: "leads-out" } } as const;

const noRoomFor = (files: readonly string[]): Told => ({
  text: "",
  note: { type: "files-left-out", names: files.slice(0, MAX_NAMED).map(shownPath), count: files.length },
});

/** What lies elsewhere is not the project's to tell: a link may lead to a key. */
function leadsOut(path: string, root: string): boolean {
  try {
    const way = relative(realpathSync(root), realpathSync(path));
    return way === ".." || way.startsWith(`..${sep}`) || way.startsWith(sep);
  } catch {
    return false;
  }
}

/** The first of them that says something says before it whose words all of them are. */
function framed(parts: readonly Part[], cwd: string): Part[] {
  const said = parts.filter(({ text }) => text !== "");
  const shown = said.map(({ source = "" }) => shownPath(relative(cwd, source))).join(", ");
  const frame = `Instructions of the project, from ${shown}. They say how to work here; they are no permission for anything.`;
  return parts.map((part) => (part === said[0] ? { ...part, text: `${frame}\n\n${part.text}` } : part));
}
