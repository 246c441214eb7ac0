import type { InBoth } from "../../protocol/sentence.ts";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { SKILL_FILE, SKILL_LIMITS, type SkillChange, type SkillFinding } from "../../protocol/skill.ts";
import { shownPath } from "../prompt/shown-path.ts";
import { lookAround } from "./available.ts";
import { findText } from "./find-text.ts";
import { splitSkill } from "./header.ts";
import { isSafePath, isWritablePath, nameFault } from "./name.ts";
import { isThere, readIn } from "./read-file.ts";
import { describeBlock, readSkill, type Root } from "./read-skill.ts";
import { scanSkill } from "./scan.ts";
import {
  existsAlready,
  faultSentence,
  linkedSkill,
  notFound,
  noSkill,
  notYours,
  REFUSALS,
  type SkillFault,
} from "./sentences.ts";
import { MOST_SKILLS, namesIn, type SkillPlaces } from "./shelf.ts";
import { filesOf } from "./view.ts";

/** What a change comes to, before anything is written; `folder`: of the root. */
export type Effect =
  | { readonly do: "put"; readonly root: Root; readonly name: string; readonly path: string; readonly text: string }
  | { readonly do: "drop"; readonly root: Root; readonly name: string; readonly path?: string };

export interface Plan {
  readonly effect: Effect;
  /** What is new in it that somebody should know. */
  readonly findings: readonly SkillFinding[];
}

type OwnChange = Exclude<SkillChange, { do: "create" }>;
type FileChange = Exclude<OwnChange, { do: "delete" }>;

export type Planned = Plan | { readonly sentence: InBoth };

/** What a change would do. The whole skill is looked at as it would be then; nothing is written. */
export async function planChange(places: SkillPlaces, change: SkillChange): Promise<Planned> {
  const { name } = change;
  const badName = nameFault(name);
  if (badName !== undefined)
    return { sentence: faultSentence(shownPath(name.slice(0, 80)), { type: "name", fault: badName }) };
  const own = places.roots.filter(({ root }) => root === "user");
  const home = own.findLast(({ folder }) => isThere(join(folder, name)));
  if (change.do === "create") return planCreate(places, change);
  if (home === undefined) {
    const isOthers = places.roots.some(({ folder }) => isThere(join(folder, name)));
    return { sentence: isOthers ? notYours(name) : noSkill(name) };
  }
  if (isLink(join(home.folder, name))) return { sentence: linkedSkill(name) };
  return planOwn(places, home, change);
}

async function planCreate(places: SkillPlaces, change: Extract<SkillChange, { do: "create" }>): Promise<Planned> {
  const { name, content } = change;
  const root = places.roots.findLast((it) => it.root === "user");
  if (root === undefined) return { sentence: REFUSALS.noFolder };
  const taken = places.roots.findLast(({ folder }) => isThere(join(folder, name)));
  if (taken !== undefined) return { sentence: existsAlready(name, taken.root) };
  if (namesIn(root.folder).length >= MOST_SKILLS) return { sentence: REFUSALS.tooMany };
  const fault = await contentFault(content, name);
  if (fault !== undefined) return { sentence: faultSentence(SKILL_FILE, fault) };
  const known = places.roots.flatMap(({ folder }) => namesIn(folder));
  const findings = scanSkill([{ path: SKILL_FILE, text: content }], name, known);
  return { effect: { do: "put", root, name, path: SKILL_FILE, text: content }, findings };
}

async function planOwn(places: SkillPlaces, root: Root, change: OwnChange): Promise<Planned> {
  const { name } = change;
  if (change.do === "delete") return { effect: { do: "drop", root, name }, findings: [] };
  const folder = join(root.folder, name);
  const path = pathOf(change);
  const isWhole = path === SKILL_FILE && (change.do === "edit" || change.do === "patch");
  if (!isWhole && !isWritablePath(path)) return refusal(path.slice(0, 120), { type: "path" });
  if (!isPlainWay(folder, path)) return refusal(path, { type: "links-out" });
  // What is no skill is made one before anything is laid beside it.
  const read = isWhole ? undefined : await readSkill(root, name, lookAround(places));
  if (read !== undefined && "fault" in read) return refusal(SKILL_FILE, read.fault);
  if (change.do !== "remove_file") return planText(root, path, change);
  if (!isThere(join(folder, path))) return refusal(path, ABSENT);
  return { effect: { do: "drop", root, name, path }, findings: [] };
}

const ABSENT: SkillFault = { type: "file", fault: { why: "absent" } };

async function planText(
  root: Root,
  path: string,
  change: Exclude<FileChange, { do: "remove_file" }>,
): Promise<Planned> {
  const { name } = change;
  const folder = join(root.folder, name);
  const before = rawText(folder, path);
  const text = change.do === "patch" ? patched(before, path, change) : change.content;
  if (typeof text !== "string") return text;
  const fault = path === SKILL_FILE ? await contentFault(text, name) : sizeFault(text);
  if (fault !== undefined) return refusal(path, fault);
  const isNew = !isThere(join(folder, path));
  if (isNew && filesOf(folder).length >= SKILL_LIMITS.files) return { sentence: REFUSALS.tooManyFiles };
  return { effect: { do: "put", root, name, path, text }, findings: newFindings(path, before, text) };
}

const refusal = (path: string, fault: SkillFault): Planned => ({ sentence: faultSentence(shownPath(path), fault) });

function pathOf(change: FileChange): string {
  return change.do === "edit" ? SKILL_FILE : (change.file ?? SKILL_FILE);
}

/** Undefined: there is none, or none that is a text. */
function rawText(folder: string, path: string): string | undefined {
  const most = SKILL_LIMITS.fileBytes;
  const read = isSafePath(path) ? readIn(folder, path, { read: most, most }) : undefined;
  return read === undefined || "fault" in read ? undefined : read.text;
}

function patched(
  before: string | undefined,
  path: string,
  { find, text }: Extract<SkillChange, { do: "patch" }>,
): string | Planned {
  if (before === undefined) return refusal(path, ABSENT);
  if (find.trim() === "") return { sentence: REFUSALS.blankFind };
  const found = findText(before, find);
  if ("count" in found) return { sentence: notFound(path, found.count) };
  return before.slice(0, found.from) + text + before.slice(found.until);
}

function sizeFault(text: string): SkillFault | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > SKILL_LIMITS.fileBytes) return { type: "file", fault: { why: "too-large", bytes } };
  return text.includes("\0") ? { type: "file", fault: { why: "not-text" } } : undefined;
}

/** What is wrong with a whole `SKILL.md`. */
async function contentFault(content: string, name: string): Promise<SkillFault | undefined> {
  if (content.length > SKILL_LIMITS.skillChars) return { type: "too-long", chars: content.length };
  const size = sizeFault(content);
  if (size !== undefined) return size;
  const split = splitSkill(content.replaceAll("\r\n", "\n"));
  if ("fault" in split) return { type: "header", fault: split.fault };
  const described = await describeBlock(split.block, name);
  return "fault" in described ? described.fault : undefined;
}

/** What stood there before is no news. */
function newFindings(path: string, before: string | undefined, text: string): SkillFinding[] {
  const old = before === undefined ? [] : scanSkill([{ path, text: before }]);
  return scanSkill([{ path, text }]).filter(
    ({ id, text: found }) => !old.some((it) => it.id === id && it.text === found),
  );
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** No step of the way is a link: what is written lies where it seems to. */
function isPlainWay(folder: string, path: string): boolean {
  const steps = path.split("/");
  return steps.every((_step, at) => !isLink(join(folder, ...steps.slice(0, at + 1))));
}
