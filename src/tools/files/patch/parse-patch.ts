import { headerIn, type Header } from "./headers.ts";

/** A patch that cannot be read; one sentence for the model, with the line of the patch. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}

export interface HunkLine {
  readonly type: "keep" | "remove" | "add";
  readonly text: string;
}

export interface Hunk {
  /** Lines that stand before it in the file, one inside the other, such as a class and its method. */
  readonly anchors: readonly string[];
  /** The line of the file where it says that it begins, from 1. */
  readonly line?: number;
  readonly lines: readonly HunkLine[];
  /** Its last line is the last one of the file. */
  readonly atEnd: boolean;
  /** Where it stands in the patch, from 1. */
  readonly at: number;
}

/** What a patch does with one file, in the order written. */
export type Section =
  | { readonly type: "update"; readonly path: string; readonly to?: string; readonly hunks: readonly Hunk[] }
  | { readonly type: "add"; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: "delete"; readonly path: string }
  | { readonly type: "move"; readonly path: string; readonly to: string };

/** Reads a patch of the kind `*** Begin Patch` (V4A). Throws PatchError, and nothing else. */
export function parsePatch(patch: string): Section[] {
  const lines = patch.split(/\r?\n/u);
  const sections: Section[] = [];
  for (let at = 0; at < lines.length;) {
    const header = headerIn(lines[at] ?? "");
    if (header?.type === "end") break;
    if (header === undefined || !isSection(header)) {
      // Before the first file, anything may stand, such as the fence of a code block.
      at += 1;
      continue;
    }
    const body = bodyAt(lines, at + 1);
    sections.push(sectionOf(header, body, at + 1));
    at += 1 + body.length;
  }
  if (sections.length === 0)
    throw new PatchError(
      'The patch names no file. It begins with "*** Begin Patch", then "*** Update File: PATH", "*** Add File: PATH", ' +
        '"*** Delete File: PATH" or "*** Move File: OLD -> NEW", and ends with "*** End Patch".',
    );
  return sections;
}

/** The lines of one section: up to the next file. */
function bodyAt(lines: readonly string[], from: number): string[] {
  let until = from;
  for (; until < lines.length; until++) {
    const type = headerIn(lines[until] ?? "")?.type;
    if (type !== undefined && type !== "move-to" && type !== "end-of-file") break;
  }
  return lines.slice(from, until);
}

type SectionHeader = Exclude<Header, { readonly type: "begin" | "end" | "end-of-file" }>;

const isSection = (header: Header): header is SectionHeader =>
  header.type !== "begin" && header.type !== "end" && header.type !== "end-of-file";

function sectionOf(header: SectionHeader, body: readonly string[], at: number): Section {
  switch (header.type) {
    case "move-to":
      throw new PatchError(`Line ${at} of the patch says "Move to" without a file: write "*** Move File: OLD -> NEW".`);
    case "move":
      return movedSection(header, body, at);
    case "delete":
      nothingIn(body, at, "deletes a file, so no lines follow");
      return { type: "delete", path: header.path };
    case "add":
      return { type: "add", path: header.path, lines: addedLines(header.path, body, at) };
    case "update":
      return updateSection(header.path, body, at);
  }
}

/** Hunks may follow a move: then the file is changed on its way. */
function movedSection({ from, to }: Extract<Header, { type: "move" }>, body: readonly string[], at: number): Section {
  if (body.every((line) => line.trim() === "")) return { type: "move", path: from, to };
  return { type: "update", path: from, to, hunks: hunksIn(from, body, at) };
}

function nothingIn(body: readonly string[], at: number, why: string): void {
  const found = body.findIndex((line) => line.trim() !== "" && !line.startsWith("```"));
  if (found >= 0)
    throw new PatchError(`Line ${at} of the patch ${why}, but line ${at + 1 + found} is: ${short(body[found])}`);
}

function addedLines(path: string, body: readonly string[], at: number): string[] {
  const lines = withoutLastBlanks(body);
  const marked = lines.filter((line) => line.startsWith("+"));
  // Some models leave the signs out altogether.
  if (marked.length === 0) return lines;
  const bare = lines.findIndex((line) => !line.startsWith("+") && line.trim() !== "");
  if (bare >= 0)
    throw new PatchError(
      `Line ${at + 1 + bare} of the patch, in the new file ${short(path)}, does not begin with "+": ${short(lines[bare])}`,
    );
  return lines.map((line) => line.slice(1));
}

function updateSection(path: string, body: readonly string[], at: number): Section {
  const moves = body.flatMap((line) => {
    const header = headerIn(line);
    return header?.type === "move-to" ? [header.to] : [];
  });
  if (moves.length > 1) throw new PatchError(`The patch moves ${short(path)} to several places: name one.`);
  const [to] = moves;
  const first = body.findIndex((line) => headerIn(line)?.type === "move-to");
  const rest = to === undefined ? body : body.with(first, "");
  if (to !== undefined && rest.every((line) => line.trim() === "")) return { type: "move", path, to };
  return { type: "update", path, ...(to !== undefined && { to }), hunks: hunksIn(path, rest, at) };
}

interface Draft {
  anchors: string[];
  line: number | undefined;
  lines: HunkLine[];
  atEnd: boolean;
  at: number;
}

/** `at` is the line of the patch before the first of these. */
function hunksIn(path: string, body: readonly string[], at: number): Hunk[] {
  const hunks = draftsIn(body, at)
    .map(finished)
    .filter(({ lines }) => lines.length > 0);
  const idle = hunks.find(({ lines }) => lines.every(({ type }) => type === "keep"));
  if (idle !== undefined)
    throw new PatchError(
      `The hunk at line ${idle.at} of the patch changes nothing in ${short(path)}: mark lines with "+" or "-".`,
    );
  if (hunks.length === 0) throw new PatchError(`The patch says nothing that changes in ${short(path)}.`);
  return hunks;
}

function draftsIn(body: readonly string[], at: number): Draft[] {
  const drafts: Draft[] = [];
  for (const [n, line] of body.entries()) {
    let draft = drafts.at(-1);
    const anchors = line.startsWith("@@");
    // Several anchors in a row belong to one hunk.
    if (draft === undefined ? anchors || line.trim() !== "" : anchors && draft.lines.length > 0) {
      draft = { anchors: [], line: undefined, lines: [], atEnd: false, at: at + 1 + n };
      drafts.push(draft);
    }
    if (draft === undefined) continue;
    if (anchors) anchorIn(line, draft);
    else if (headerIn(line)?.type === "end-of-file") draft.atEnd = true;
    else pushLine(draft, line);
  }
  return drafts;
}

/** `@@ text @@`, `@@ text`, or the numbers of a unified diff. */
function anchorIn(line: string, draft: Draft): void {
  const [, start, rest = ""] = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$/u.exec(line) ?? [];
  if (start !== undefined) draft.line = Number(start);
  const text = (start === undefined ? line.slice(2).replace(/@@\s*$/u, "") : rest).trim();
  if (text !== "") draft.anchors.push(text);
}

const SIGNS = { " ": "keep", "-": "remove", "+": "add" } as const;

function pushLine({ lines }: Draft, line: string): void {
  if (line.startsWith("\\ No newline")) return;
  const sign = line[0] ?? " ";
  // A line without a sign is one that stays: models drop the space before it.
  if (sign === " " || sign === "-" || sign === "+") lines.push({ type: SIGNS[sign], text: line.slice(1) });
  else lines.push({ type: "keep", text: line });
}

/** Empty lines at the end of a hunk only keep it apart from the next one. */
function finished({ line, lines, ...rest }: Draft): Hunk {
  const kept = [...lines];
  while (kept.at(-1)?.type === "keep" && kept.at(-1)?.text === "") kept.pop();
  return { ...rest, ...(line !== undefined && { line }), lines: kept };
}

function withoutLastBlanks(body: readonly string[]): string[] {
  const lines = [...body];
  while (lines.length > 0 && /^(?:\s*|```)$/u.test(lines.at(-1) ?? "")) lines.pop();
  return lines;
}

const short = (text: string = ""): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
