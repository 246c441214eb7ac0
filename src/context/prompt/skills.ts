import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./part.ts";
import { shownPath } from "./shown-path.ts";
import { readText } from "./read-text.ts";
import { threatsIn } from "./threats.ts";

/** So many are told of, in the order of their names, in so many characters. */
const MAX_SKILLS = 100;
const MAX_INDEX = 8_000;
/** nanobot.md §6. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const MAX_DESCRIPTION = 1_024;

/** What the model may read when it needs it: name, what it is for, where it lies. Undefined: there is none. */
export function skillsIndex(folder: string): Part | undefined {
  const names = namesIn(folder);
  if (names.length === 0) return undefined;
  const lines: string[] = [];
  const left: string[] = [];
  let room = MAX_INDEX;
  for (const name of names.slice(0, MAX_SKILLS)) {
    const line = lineOf(folder, name);
    room -= line?.length ?? 0;
    if (line === undefined || room < 0) left.push(name);
    else lines.push(line);
  }
  left.push(...names.slice(MAX_SKILLS));
  return {
    tier: "stable",
    name: "skills",
    source: folder,
    text: lines.length === 0 ? "" : `${INTRODUCTION}\n\n${lines.join("\n")}`,
    ...(left.length > 0 && { note: { type: "skills-left-out", names: left.slice(0, MAX_SKILLS).map(shownPath) } }),
  };
}

const INTRODUCTION =
  "Skills, each written down in a file: when one fits what you are asked, read its file before you begin, and do as it says.";

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}

/** Undefined: its file is not there, or does not say what a skill must. */
function lineOf(folder: string, name: string): string | undefined {
  const path = join(folder, name, "SKILL.md");
  const read = readText(path);
  if (read.type !== "text") return undefined;
  const { name: own, description = "" } = frontMatterOf(read.head);
  const isFit = own === name && NAME.test(name) && description !== "" && description.length <= MAX_DESCRIPTION;
  if (!isFit || threatsIn(description).length > 0) return undefined;
  return `- ${name}: ${description} (${shownPath(path)})`;
}

/** The values that are one line, or lines behind an indicator; all that an index needs of YAML. */
function frontMatterOf(text: string): Readonly<Record<string, string>> {
  const block = /^---[ \t]*\n(?<block>(?:[^\n]*\n){0,200}?)---[ \t]*(?:\n|$)/u.exec(text)?.groups?.["block"] ?? "";
  const values: Record<string, string> = {};
  for (const [, key = "", first = "", more = ""] of block.matchAll(
    /^([\w-]+):[ \t]*([^\n]*)\n((?:[ \t]+[^\n]*\n)*)/gmu,
  )) {
    const own = /^[>|][+-]?$/u.test(first.trim()) ? "" : unquoted(first.trim());
    values[key] = `${own} ${more}`.replaceAll(/\s+/gu, " ").trim();
  }
  return values;
}

const unquoted = (text: string): string =>
  /^"(?:[^"\\]|\\.)*"$|^'(?:[^']|'')*'$/u.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
