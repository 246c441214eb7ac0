import { plural } from "../protocol/plural.ts";
import type { Intent, Rank, SearchIntent } from "./intents.ts";
import { quoted, type Ranked, type Resolved } from "./look-up.ts";
import type { Outline } from "./outline.ts";
import { SHOWN_LINE_CHARS, type FileLine, type Listing, type Matches, type Page } from "./receipts.ts";
import type { Scope } from "./scope.ts";

/** The first line of the first answer of a conversation. */
export const INTRODUCTION =
  "Practice model: I am a small rule-based program, not a language model.\nFor a real one, set a key or start a local server; `doctor providers` shows what is found.";

/** In front of an answer whose conversation was introduced beside the calls before it. */
export const SHORT_INTRODUCTION = "Practice model, not a language model.";

export const ABILITIES: string = [
  "What I can do, always with the real tools on this folder:",
  "- list and count: “list the files in docs”, “how many .ts files are there?”",
  "- compare: “which file is the smallest?”, “the 3 newest files”",
  "- read: “read notes.md”, “lines 5 to 9 of notes.md”, “how many lines has notes.md?”",
  "- outline: “outline notes.md” (headings, functions, keys)",
  "- search: “where is parseDate?”, “how often does teapot appear?”",
  '- write and edit: “write "hello" to hello.txt”, “replace "colour" with "color" in notes.md”, “add the line "done" to log.txt”',
  "- run: “run git status”, “run the tests”",
  "- keep a todo list: “add milk to my todo list”, “mark 1 as done”, “show my todo list”",
  "- remember, as long as this session lasts: “remember that the deadline is Friday”, “what do you remember?”",
].join("\n");

export const cannot = (text: string): string => `I did not understand ${quoted(clip(text))}.`;

const MAX_ECHO_CHARS = 200;
const clip = (text: string): string =>
  (text.length <= MAX_ECHO_CHARS ? text : `${text.slice(0, MAX_ECHO_CHARS).toWellFormed()} …`).replaceAll(/\s+/gu, " ");

/** "markdown files in `docs`" */
function filesOf({ kind, name, folder }: Scope, count: number): string {
  const noun = count === 1 ? "file" : "files";
  const what = kind === undefined ? noun : `${kind.label} ${noun}`;
  const named = name === undefined ? "" : ` that match ${quoted(name)}`;
  return `${what}${named}${folder === undefined ? "" : ` in ${quoted(folder)}`}`;
}

const boundNotes = (notes: readonly string[]): string => notes.map((note) => `\nNote from the tool: ${note}.`).join("");

export function countAnswer(scope: Scope, list: Listing): string {
  const there = list.matching === 1 ? "There is" : "There are";
  const amount = list.matching === 0 ? "no" : String(list.matching);
  const size = list.matching === 0 ? "" : `, ${plural(list.bytes, "byte")} together`;
  return `${there} ${amount} ${filesOf(scope, list.matching)}${size}.${boundNotes(list.notes)}`;
}

export const foldersAnswer = (scope: Scope, list: Listing): string =>
  `${foldersCounted(scope, list)}.${boundNotes(list.notes)}`;

function foldersCounted({ folder }: Scope, list: Listing): string {
  const there = list.folders === 1 ? "There is" : "There are";
  return `${there} ${plural(list.folders, "folder")}${folder === undefined ? "" : ` in ${quoted(folder)}`}`;
}

const MAX_FOLDERS = 100;

/** The tool names files only, so a folder is known by what lies in it. */
export function foldersListed(scope: Scope, list: Listing): string {
  const under = scope.folder === undefined ? "" : `${scope.folder.replace(/^\.\//u, "")}/`;
  const folders = new Set<string>();
  for (const { path } of list.files) {
    const names = path.startsWith(under) ? path.slice(under.length).split("/").slice(0, -1) : [];
    names.forEach((_, depth) => folders.add(under + names.slice(0, depth + 1).join("/")));
  }
  if (folders.size === 0) return foldersAnswer(scope, list);
  const rows = [...folders].slice(0, MAX_FOLDERS).map((path) => `- ${quoted(path)}`);
  const rest = folders.size > rows.length ? `\n… and ${folders.size - rows.length} more.` : "";
  const seen = list.matching > list.files.length ? `one of the first ${list.files.length} files` : "files";
  return `${foldersCounted(scope, list)}; these hold ${seen}:\n${rows.join("\n")}${rest}${boundNotes(list.notes)}`;
}

const MAX_KINDS = 8;

export function overviewAnswer(list: Listing): string {
  const kinds = new Map<string, number>();
  for (const { path } of list.files) {
    const kind = /[^/](\.[^./]+)$/u.exec(path)?.[1]?.toLowerCase() ?? "without an ending";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const named = [...kinds].sort(([, a], [, b]) => b - a).slice(0, MAX_KINDS);
  const all = list.matching > list.files.length ? `, of the first ${list.files.length}` : "";
  const what = named.length === 0 ? "" : `${all}: ${named.map(([kind, count]) => `${count} ${kind}`).join(", ")}`;
  const rest = kinds.size > named.length ? " …" : "";
  const size = `${plural(list.matching, "file")} in ${plural(list.folders, "folder")}, ${plural(list.bytes, "byte")}`;
  return `By simple rules, I cannot judge what it is for: ${size}${what}${rest}.${boundNotes(list.notes)}`;
}

export function listAnswer(scope: Scope, list: Listing): string {
  if (list.matching === 0) return `There are no ${filesOf(scope, 0)}.${boundNotes(list.notes)}`;
  const rows = list.files.map((file) => `- ${quoted(file.path)} (${fileSize(file)})`);
  const more = list.matching - list.files.length;
  const rest = more > 0 ? `\n… and ${more} more; name a folder or a kind of file to see fewer.` : "";
  return `${plural(list.matching, "file")}${scopeSuffix(scope)}:\n${rows.join("\n")}${rest}${boundNotes(list.notes)}`;
}

function scopeSuffix({ kind, name, folder }: Scope): string {
  const which =
    kind === undefined
      ? name === undefined
        ? ""
        : ` matching ${quoted(name)}`
      : ` (${kind.extensions.map((ending) => `.${ending}`).join(", ")})`;
  return `${which}${folder === undefined ? "" : ` in ${quoted(folder)}`}`;
}

const fileSize = (file: FileLine): string => (file.size === undefined ? "link" : plural(file.size, "byte"));

const ADJECTIVES = { size: { most: "largest", least: "smallest" }, time: { most: "newest", least: "oldest" } } as const;

export function rankAnswer(rank: Rank, { listing, files }: Ranked): string {
  const adjective = ADJECTIVES[rank.by][rank.end];
  const [first] = files;
  const notes = boundNotes(listing.notes);
  if (first === undefined) return `There are no ${filesOf(rank.scope, 0)}, so none is the ${adjective}.${notes}`;
  const value = (file: FileLine): string =>
    rank.by === "size" ? fileSize(file) : `${file.modified ?? "unknown time"}, ${fileSize(file)}`;
  const scope = scopeSuffix(rank.scope);
  const period =
    rank.period === undefined ? "" : `I have no calendar, so see by the times (UTC) which are from “${rank.period}”. `;
  if (files.length === 1)
    return `${period}The ${adjective} file${scope} is ${quoted(first.path)} (${value(first)}).${notes}`;
  const tie = files.length > rank.count;
  const rows = files.map((file) => `- ${quoted(file.path)} (${value(file)})`).join("\n");
  const title =
    tie && rank.count === 1
      ? `${files.length} files${scope} are equally the ${adjective}`
      : `The ${plural(files.length, `${adjective} file`)}${scope}`;
  const cut =
    files.length === listing.files.length && listing.matching > listing.files.length
      ? `\n… there may be more of the same ${rank.by}.`
      : "";
  return `${period}${title}:\n${rows}${cut}${notes}`;
}

export const othersNote = ({ others, path }: Resolved): string =>
  others.length === 0
    ? ""
    : `\n(I took ${quoted(path)}; also there: ${others.slice(0, 5).map(quoted).join(", ")}${others.length > 5 ? " …" : ""}.)`;

export function linesAnswer(page: Page): string {
  if (page.total === undefined)
    return `${quoted(page.path)} has ${page.bytes} bytes; it is too long for its lines to be counted.`;
  return `${quoted(page.path)} has ${plural(page.total, "line")} (${plural(page.bytes, "byte")}).`;
}

export function readAnswer(page: Page): string {
  if (page.texts.length === 0) return `${quoted(page.path)} is empty.`;
  const last = page.first + page.texts.length - 1;
  const total = page.total === undefined ? "more than can be counted" : String(page.total);
  const rows = page.texts.map((text, index) => `${page.first + index}  ${text}`);
  return `${quoted(page.path)}, lines ${page.first}–${last} of ${total}:\n${fenced(rows.join("\n"))}`;
}

/** A fence longer than any in the text. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const MAX_ENTRIES = 200;

export function outlineAnswer(path: string, outline: Outline | undefined, more: boolean): string {
  if (outline === undefined)
    return `I have no rules to outline ${quoted(path)}; I know Markdown, JSON and the usual programming languages. You can ask me to read it.`;
  if (outline.entries.length === 0) return `${quoted(path)} has no ${outline.what}.`;
  const rows = outline.entries
    .slice(0, MAX_ENTRIES)
    .map((entry) => `${"  ".repeat(entry.depth)}- ${entry.label}${entry.line > 0 ? ` (line ${entry.line})` : ""}`);
  const rest = outline.entries.length - rows.length;
  const cut =
    (rest > 0 ? `\n… and ${rest} more.` : "") +
    (more ? "\nThe file is longer than I read; what follows is not outlined." : "");
  return `Outline of ${quoted(path)} by simple rules, ${plural(outline.entries.length, outline.what)}:\n${rows.join("\n")}${cut}`;
}

const MAX_FOUND = 30;

export interface SearchResults {
  readonly names: Listing | undefined;
  readonly matches?: Matches;
  /** Upper and lower case were taken as the same. */
  readonly anyCase?: boolean;
}

export function searchAnswer(search: SearchIntent, { names, matches, anyCase = false }: SearchResults): string {
  const parts = [
    ...(names !== undefined && names.matching > 0 ? [nameRows(search.text, names)] : []),
    ...(matches !== undefined && matches.lines > 0 ? [matchRows(search.text, matches, anyCase)] : []),
  ];
  const notes = boundNotes([...new Set([...(names?.notes ?? []), ...(matches?.notes ?? [])])]);
  return (parts.length === 0 ? nothingFound(search) : parts.join("\n")) + notes;
}

const NOWHERE = {
  names: "No file name contains",
  text: "No line contains",
  anywhere: "No file name and no line contains",
} as const;

const nothingFound = ({ where, text, scope }: SearchIntent): string =>
  `${NOWHERE[where]} ${quoted(text)}${scopeSuffix(scope)}.`;

function nameRows(text: string, names: Listing): string {
  const more = names.matching - names.files.length;
  const rows = names.files.map((file) => `- ${quoted(file.path)} (${fileSize(file)})`).join("\n");
  const title = `${plural(names.matching, "file has", "files have")} ${quoted(text)} in the name`;
  return `${title}:\n${rows}${more > 0 ? `\n… and ${more} more.` : ""}`;
}

function matchRows(text: string, matches: Matches, anyCase: boolean): string {
  const first = matches.found.slice(0, MAX_FOUND);
  const rows = first.map((hit) => `- ${quoted(`${hit.path}:${hit.line}`)}: ${hit.text.trim()}`);
  const more = matches.lines - rows.length;
  const seen = new Set(first.map((hit) => hit.path));
  const others = [...new Set(matches.found.map((hit) => hit.path))].filter((path) => !seen.has(path));
  const how = anyCase ? " when upper and lower case count as the same" : "";
  const title = `${quoted(text)} is in ${plural(matches.lines, "line")} of ${plural(matches.files, "file")}${how}`;
  const rest = more > 0 ? `\n… and ${plural(more, "more line")}.` : "";
  const also = others.length > 0 ? `\nAlso in: ${others.map(quoted).join(", ")}.` : "";
  return `${title}:\n${rows.join("\n")}${rest}${also}`;
}

export function occurrencesAnswer(text: string, matches: Matches, anyCase: boolean): string {
  if (matches.lines === 0) return `${quoted(text)} appears 0 times.${boundNotes(matches.notes)}`;
  const fold = (value: string): string => (anyCase ? value.toLowerCase() : value);
  const count = matches.found.reduce((sum, hit) => sum + fold(hit.text).split(fold(text)).length - 1, 0);
  const bounded =
    matches.found.length < matches.lines || matches.found.some((hit) => hit.text.length >= SHOWN_LINE_CHARS);
  const perFile = new Map<string, number>();
  for (const hit of matches.found) perFile.set(hit.path, (perFile.get(hit.path) ?? 0) + 1);
  const rows = [...perFile].slice(0, MAX_FOUND).map(([path, lines]) => `- ${quoted(path)}: ${plural(lines, "line")}`);
  const how = anyCase ? ", upper and lower case taken as the same" : "";
  const least = bounded ? "at least " : "";
  const rest = matches.files > rows.length ? `\n… and ${plural(matches.files - rows.length, "more file")}.` : "";
  return `${quoted(text)} appears ${least}${plural(count, "time")}, in ${plural(matches.lines, "line")} of ${plural(matches.files, "file")}${how}:\n${rows.join("\n")}${rest}${boundNotes(matches.notes)}`;
}

/** What was asked for, when it could not be looked up. */
export function nameOf(intent: Intent): string {
  switch (intent.type) {
    case "list":
      return "the list of files";
    case "list-folders":
      return "the list of folders";
    case "overview":
      return "an overview";
    case "rank":
      return `the ${ADJECTIVES[intent.by][intent.end]} file`;
    case "count":
      return `the number of ${intent.what}`;
    case "count-lines":
      return "the number of lines";
    case "count-text":
    case "search":
      return `where ${quoted(intent.text)} is`;
    case "size":
      return "the size of a file";
    case "read":
      return "the text of a file";
    case "outline":
      return "the outline of a file";
    case "run":
      return `the output of ${quoted(intent.command)}`;
    case "write":
      return `writing ${quoted(intent.path)}`;
    case "edit":
      return "a change of a file";
    case "check":
      return "what the check says";
    case "todo":
      return "the todo list";
    case "remember":
    case "recall":
      return "what you told me";
    case "help":
    case "beyond":
    case "unknown":
      return "an explanation";
  }
}

export const remembered = (fact: string): string => `I keep in mind, as long as this session lasts: ${fact}`;

/** Facts with all the words of what is asked about; all facts when nothing is. */
export function recalled(facts: readonly string[], about: string | undefined): string {
  const asked = about?.toLowerCase().split(/\s+/u) ?? [];
  const words = asked.filter((word) => !/^(?:the|an?|my|our)$/u.test(word));
  const found = facts.filter((fact) => words.every((word) => fact.toLowerCase().includes(word)));
  const rows = found.map((fact) => `- ${fact}`).join("\n");
  if (found.length > 0) return `You told me in this session:\n${rows}`;
  const what = about === undefined ? "" : ` about “${clip(about)}”`;
  return `You asked me to remember nothing${what} in this session. Say “remember that …”.`;
}
