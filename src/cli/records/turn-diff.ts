import { relative } from "node:path";
import type { ChangedPath, FileState, TurnFiles } from "../../protocol/turn-files.ts";
import { unifiedHunks } from "../../protocol/unified-diff.ts";
import { shownChange, TURN_FILES } from "../../words/turn-files.ts";
import type { Language } from "../../words/language.ts";

/** One path of a turn, compared. */
export interface Compared {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted" | "mode";
  /** Lines; null: nothing that has lines. */
  readonly added: number | null;
  readonly removed: number | null;
  /** As `patch` and git read it. */
  readonly diff: readonly string[];
  readonly changed: ChangedPath;
}

/** Relative to where the command is run, where it lies below. */
export function pathHere(path: string, cwd: string): string {
  const here = relative(cwd, path);
  return here === "" || here.startsWith("..") ? path : here;
}

/** As git writes the name of a path: where characters would break or command a line, in quotes and escaped. */
export function quoted(name: string): string {
  if (!/[\p{Cc}"\\]/u.test(name)) return name;
  const escape = (character: string): string => ESCAPES[character] ?? octal(character);
  return `"${name.replaceAll(/[\p{Cc}"\\]/gu, escape)}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

const octal = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

type Contents = Pick<TurnFiles, "content">;

export function compare(changed: ChangedPath, files: Contents, { cwd, language }: Reader): Compared {
  const { path, before, after } = changed;
  const name = pathHere(path, cwd).replace(/^\//u, "");
  const how = { path, change: changeOf(before, after), changed } as const;
  const [was, is] = [withoutFolder(before), withoutFolder(after)];
  if (was === null && is === null) return { ...how, added: 0, removed: 0, diff: [folderLine(how, name, language)] };
  const [a, b] = [quoted(`a/${name}`), quoted(`b/${name}`)];
  const head = [`diff --git ${a} ${b}`, ...modeLines(was, is)];
  const [old, now] = [before, after].map((state) => sideOf(state, path, files));
  if (old === undefined || now === undefined)
    return { ...how, added: null, removed: null, diff: [...head, `# ${TURN_FILES.notKept[language]}`] };
  const [oldText, newText] = [textOf(old), textOf(now)];
  if (oldText === undefined || newText === undefined) {
    const differ = old.equals(now) ? [] : [`Binary files ${a} and ${b} differ`];
    return { ...how, added: null, removed: null, diff: [...head, ...differ] };
  }
  const hunks = unifiedHunks(oldText, newText);
  const from = was === null ? "/dev/null" : a;
  const to = is === null ? "/dev/null" : b;
  const count = (sign: string): number => hunks.filter((line) => line.startsWith(sign)).length;
  const titles = hunks.length === 0 ? [] : [`--- ${from}`, `+++ ${to}`];
  return { ...how, added: count("+"), removed: count("-"), diff: [...head, ...titles, ...hunks] };
}

/** Git knows no folders: one that became a file is a new file to it. */
const withoutFolder = (state: FileState | null): GitState | null => (state?.type === "folder" ? null : state);

type GitState = Exclude<FileState, { type: "folder" }>;

/** A line that git passes over. */
function folderLine(
  { change, changed }: Pick<Compared, "change" | "changed">,
  name: string,
  language: Language,
): string {
  const modes = [changed.before, changed.after].flatMap((state) =>
    state?.type === "folder" ? [state.mode.toString(8)] : [],
  );
  return `# ${shownChange(change)[language]}: ${quoted(`${name}/`)} (${modes.join(" → ")})`;
}

export interface Reader {
  readonly cwd: string;
  readonly language: Language;
}

function changeOf(before: FileState | null, after: FileState | null): Compared["change"] {
  if (before === null) return "created";
  if (after === null) return "deleted";
  return before.type === "file" && after.type === "file" && before.hash === after.hash ? "mode" : "changed";
}

/** The mode as git writes it. */
function gitMode(state: GitState): string {
  switch (state.type) {
    case "link":
      return "120000";
    case "file":
      return `10${state.mode.toString(8).padStart(4, "0")}`;
    case "unkept":
      return state.why;
  }
}

function modeLines(before: GitState | null, after: GitState | null): string[] {
  if (before === null) return after === null ? [] : [`new file mode ${gitMode(after)}`];
  if (after === null) return [`deleted file mode ${gitMode(before)}`];
  const [old, now] = [gitMode(before), gitMode(after)];
  return old === now ? [] : [`old mode ${old}`, `new mode ${now}`];
}

/** What is compared of one side; undefined: nobody knows it any more. */
function sideOf(state: FileState | null, path: string, files: Contents): Buffer | undefined {
  switch (state?.type) {
    case undefined:
    case "folder":
      return Buffer.alloc(0);
    case "link":
      return Buffer.from(state.target);
    case "file":
      return files.content(state.hash, path);
    case "unkept":
      return undefined;
  }
}

function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** `src/a.ts  +3 −1`. */
export function statLine({ path, change, added, removed }: Compared, { cwd, language }: Reader): string {
  const counts = added === null ? TURN_FILES.binary[language] : `+${added} −${removed}`;
  return `${shownChange(change)[language]}  ${quoted(pathHere(path, cwd))}  ${counts}`;
}
