import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, objectInText } from "../../protocol/json.ts";
import { NOTE_FILES, type NoteFile, type NoteVersion, type Written } from "../../protocol/memory.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { Disk } from "../disk.ts";
import { notesIn } from "../../protocol/note-text.ts";

/** A line of the journal: a file as it was from then on. */
export interface Line {
  readonly version: number;
  readonly file: NoteFile;
  /** The whole file. */
  readonly text: string;
  /** Of the file that it took the place of, hex. */
  readonly before: string;
  readonly written: Written;
  /** Of each note in the text, from where it is known. */
  readonly from: readonly Written[];
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** So many versions of a file are kept, and up to so many more until the older ones are left out. */
const KEPT_VERSIONS = 200;
const SPARE_VERSIONS = 100;

/** The journal as it is at one moment. */
export interface Journal {
  /** The newest version of a file. */
  last(file: NoteFile): Line | undefined;
  /** Of the version that comes next. */
  readonly next: number;
  /** All that can be read, the oldest first. */
  lines(): readonly Line[];
  /** Returns what takes them away again. */
  append(lines: readonly Line[], disk: Disk): () => void;
  /** There are more versions than are kept. */
  readonly isLong: boolean;
}

/**
 * Reads the journal of a folder: one line of JSON for each version. A line that is no such, be it torn by a crash or
 * damaged by hand, counts as not written. Throws where there is one that cannot be read at all.
 */
export function readJournal(folder: string): Journal {
  const path = pathIn(folder);
  const bytes = bytesAt(path);
  const text = bytes.toString("utf8");
  const raw = text.split("\n").filter((line) => line !== "");
  // A line tells all that is to be known of its file: only the newest ones have to be understood.
  const newest = (fits: (line: Line) => boolean): Line | undefined => {
    for (let at = raw.length - 1; at >= 0; at--) {
      const line = lineIn(raw[at] ?? "");
      if (line !== undefined && fits(line)) return line;
    }
    return undefined;
  };
  const lines = (): Line[] => raw.flatMap((each) => lineIn(each) ?? []);
  return {
    last: (file) => newest((line) => line.file === file),
    next: (newest(() => true)?.version ?? 0) + 1,
    lines,
    append(added, disk) {
      const isTorn = text !== "" && !text.endsWith("\n");
      return disk.append(path, added.map(textOfLine).join(""), { bytes: bytes.length, isTorn });
    },
    isLong: raw.length > NOTE_FILES.length * KEPT_VERSIONS + SPARE_VERSIONS,
  };
}

/** The same for whoever writes: without the oldest versions, when there are many. */
export function openJournal(folder: string, disk: Disk): Journal {
  const journal = readJournal(folder);
  if (!journal.isLong) return journal;
  const all = journal.lines();
  const kept = new Set(NOTE_FILES.flatMap((file) => all.filter((line) => line.file === file).slice(-KEPT_VERSIONS)));
  const path = pathIn(folder);
  const draft = `${path}.next`;
  disk.draft(
    draft,
    all
      .filter((line) => kept.has(line))
      .map(textOfLine)
      .join(""),
  );
  disk.place(draft, path);
  return readJournal(folder);
}

const pathIn = (folder: string): string => join(folder, "history.jsonl");

export const versionOf = ({ version, file, text, written }: Line): NoteVersion => ({
  version,
  file,
  notes: notesIn(text),
  written,
});

function bytesAt(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Buffer.alloc(0);
    throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

const textOfLine = (line: Line): string => `${JSON.stringify({ ...line, sha256: sha256(line.text) })}\n`;

function lineIn(text: string): Line | undefined {
  const { version, file, text: whole, before, written, from, sha256: sum } = objectInText(text) ?? {};
  const known = NOTE_FILES.find((name) => name === file);
  const author = readWritten(written);
  if (typeof version !== "number" || known === undefined || author === undefined) return undefined;
  if (typeof whole !== "string" || typeof before !== "string" || sum !== sha256(whole)) return undefined;
  const authors = Array.isArray(from) ? from.map(readWritten) : [];
  return { version, file: known, text: whole, before, written: author, from: authors.map((each) => each ?? author) };
}

const AUTHORS = ["turn", "review", "dream", "person"] as const;

/** Undefined: it does not say who wrote when. */
export function readWritten(given: unknown): Written | undefined {
  if (!isObject(given)) return undefined;
  const { sessionId, turnId, atMs } = given;
  const by = AUTHORS.find((author) => author === given["by"]);
  if (by === undefined || typeof atMs !== "number") return undefined;
  return {
    by,
    atMs,
    ...(typeof sessionId === "string" && { sessionId }),
    ...(typeof turnId === "string" && { turnId }),
  };
}
