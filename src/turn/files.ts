import type { FileChange } from "../protocol/checkpoint.ts";
import { type ReceiptStatus, textOf, type ToolMessage } from "../protocol/message.ts";
import type { DiskTrace } from "../protocol/tool.ts";
import type { OpenCall } from "./state.ts";

/** What the receipts of a turn say of files. */
export interface ChangedFiles {
  /** From before the first change of a file to after the last one. */
  readonly byPath: Map<string, FileCourse>;
  /** Changes that no receipt lists. */
  more: number;
  /** Files that a call was to write and did not, and nobody has since: each with what was said first. */
  readonly failed: Map<string, string>;
  /** Changed while the turn ran, by no call of it. */
  readonly foreign: Set<string>;
}

export type FilesSeen = {
  readonly byPath: ReadonlyMap<string, FileCourse>;
  readonly more: number;
  readonly failed: ReadonlyMap<string, string>;
  readonly foreign: ReadonlySet<string>;
};

export interface FileCourse {
  readonly before: string | null;
  readonly after: string | null;
  /** Something else than its mode was changed on the way. */
  readonly touched: boolean;
}

export const newFiles = (): ChangedFiles => ({ byPath: new Map(), more: 0, failed: new Map(), foreign: new Set() });

interface Answered {
  readonly call: Pick<OpenCall, "part" | "inspection">;
  readonly message: ToolMessage;
  /** The call came back, and tells of a failure. */
  readonly failed: boolean;
  readonly disk: DiskTrace | undefined;
}

/** Counts one receipt. */
export function noteFiles(files: ChangedFiles, answered: Answered): void {
  const { call, disk } = answered;
  if (disk !== undefined) noteDisk(files, disk);
  for (const path of targetsOf(call)) noteWrite(files, path, answered);
}

/** Tools of which a path that leads nowhere is told as well. */
const WRITERS: ReadonlySet<string> = new Set(["write_file", "patch"]);

/** The files that a call was to write: as it was seen to, or where its path led nowhere, as it was written. */
export function targetsOf({ part, inspection: { claim, name } }: Answered["call"]): readonly string[] {
  if (claim.mode === "paths") return claim.writes;
  return WRITERS.has(name ?? part.name) ? writtenPath(part.input) : [];
}

function writtenPath(input: string): string[] {
  try {
    const { path } = JSON.parse(input) as { readonly path?: unknown };
    return typeof path === "string" && path.trim() !== "" ? [path] : [];
  } catch {
    return [];
  }
}

function noteDisk(files: ChangedFiles, { changes, more = 0, foreign = [] }: DiskTrace): void {
  files.more += more;
  for (const path of foreign) files.foreign.add(path);
  for (const change of changes) follow(files, change);
}

function noteWrite({ failed }: ChangedFiles, path: string, { message, disk, ...told }: Answered): void {
  const landed = message.status === "ok" && !told.failed;
  if (landed || disk?.changes.some((change) => change.path === path) === true) failed.delete(path);
  else if (told.failed || NEVER_WRITTEN.has(message.status))
    failed.set(path, failed.get(path) ?? errorPreview(textOf(message)));
}

/** Of a call that was interrupted nobody knows, and who stops a turn knows why. */
const NEVER_WRITTEN: ReadonlySet<ReceiptStatus> = new Set(["error", "denied"]);

function follow(files: ChangedFiles, { path, before, after }: FileChange): void {
  const known = files.byPath.get(path);
  const touched = known?.touched === true || before !== after;
  files.byPath.set(path, { before: known === undefined ? before : known.before, after, touched });
  files.foreign.delete(path);
}

/** Characters (hermes.md §18). */
const PREVIEW = 180;

/** What a failed result says, in one short line: where it is JSON that names an error, that. */
export function errorPreview(text: string, most: number = PREVIEW): string {
  const line = namedError(text).replaceAll(/\s+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

function namedError(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === "string" ? error : text;
  } catch {
    return text;
  }
}
