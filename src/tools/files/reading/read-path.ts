import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type ImagePart, LARGEST_PICTURE, type TextPart } from "../../../protocol/message.ts";
import { isShown } from "../../../protocol/known-files.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { PathError, type Place } from "../../paths.ts";
import { pictureOf, pictureType } from "../../pictures/picture.ts";
import { binaryKind } from "../binary.ts";
import { MOST_HASHED, versionOf, versionOfLarge } from "../file-version.ts";
import { codeOf, explain, openRegularFile } from "../open-file.ts";
import { type Encoding, textOf } from "../text/file-text.ts";
import { LineWindow } from "./line-window.ts";
import { listFolder } from "./list-folder.ts";
import { nearNames } from "./near-names.ts";

/** Bytes that one read looks at before it gives up finding its lines. */
const MAX_SCAN = 64 * 1024 * 1024;
/** Bytes looked at to tell how many lines there are in all. */
const COUNT_SCAN = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** What is asked of a path that may be read. */
export interface Asked {
  readonly real: string;
  readonly shown: string;
  readonly place: Place;
  readonly window: { readonly first: number; readonly lines: number };
  /** Also what the model has seen already. */
  readonly force: boolean;
  readonly context: ToolContext;
}

interface Reading extends Asked {
  readonly file: FileHandle;
  readonly stats: Stats;
}

export type Told = string | readonly (TextPart | ImagePart)[];

/** Throws PathError for what is not shown. */
export async function readPath(asked: Asked): Promise<Told> {
  const { real, shown, place } = asked;
  const listed = listFolder(real, shown, place);
  if (listed !== undefined) return listed;
  try {
    const opened = await openRegularFile(real, shown, place);
    await using file = opened.file;
    const reading = { ...asked, file, stats: opened.stats };
    return await (opened.stats.size > MOST_HASHED ? readLarge(reading) : readWhole(reading));
  } catch (error) {
    if (!(error instanceof PathError) || codeOf(error.cause) !== "ENOENT") throw error;
    const near = nearNames(real, place);
    throw new PathError(near === undefined ? error.message : `${error.message} ${near}`, { cause: error });
  }
}

async function readWhole(reading: Reading): Promise<Told> {
  const { file, stats, shown, window } = reading;
  const bytes = await file.readFile().catch((error: unknown) => {
    throw new PathError(explain(error, shown), { cause: error });
  });
  const kind = binaryKind(bytes);
  if (kind !== undefined && pictureType(bytes) !== undefined) return pictureIn(bytes, shown);
  if (kind === "a PDF document") return readDocument(reading, bytes);
  const text = textOf(bytes);
  if (text === undefined || (kind !== undefined && !text.encoding.startsWith("utf-16")))
    throw new PathError(`${shown} is ${kind ?? "a binary file"} (${stats.size} bytes), not text, and is not shown.`);
  const lines = new LineWindow(window.first, window.lines);
  const { encoding } = text;
  lines.push(encoding === "utf-8" || encoding === "odd" ? bytes : Buffer.from(text.text));
  lines.end();
  return render(reading, { lines, encoding, ended: true, version: versionOf(bytes) });
}

/** The text of a document, in the lines it was laid out in. */
async function readDocument({ shown, window, stats, context }: Reading, bytes: Buffer): Promise<string> {
  const { documentText } = await import("./document-text.ts");
  const { text, pages, left } = await documentText(bytes, shown, context.signal);
  const lines = new LineWindow(window.first, window.lines);
  lines.push(Buffer.from(text));
  lines.end();
  const note = left === 0 ? "" : `, the last ${left} not read`;
  return laidOut(lines, {
    shown,
    window,
    ended: true,
    about: `the text of ${pages} pages${note}, ${stats.size} bytes`,
  });
}

/** A picture for the model to see. */
async function pictureIn(bytes: Buffer, shown: string): Promise<readonly (TextPart | ImagePart)[]> {
  if (bytes.length > LARGEST_PICTURE)
    throw new PathError(
      `${shown} is a picture of ${bytes.length} bytes, and at most ${LARGEST_PICTURE} can be shown: make a smaller copy first.`,
    );
  return [{ type: "text", text: `The picture ${shown}:` }, await pictureOf(bytes, shown)];
}

/** In a stream, so the size does not matter. */
async function readLarge(reading: Reading): Promise<Told> {
  const { file, stats, shown, window, context } = reading;
  const chunk = Buffer.allocUnsafe(CHUNK);
  const lines = new LineWindow(window.first, window.lines);
  let scanned = 0;
  let ended = false;
  while (scanned < (lines.full ? COUNT_SCAN : MAX_SCAN)) {
    context.signal.throwIfAborted();
    const size = await readChunk(file, chunk, scanned, shown);
    ended = size === 0;
    if (ended) break;
    const bytes = chunk.subarray(0, size);
    const kind = scanned === 0 ? binaryKind(bytes) : undefined;
    if (kind !== undefined)
      throw new PathError(`${shown} is ${kind} (${stats.size} bytes), not text, and is not shown.`);
    scanned += size;
    lines.push(bytes);
  }
  if (ended) lines.end();
  const encoding = lines.lossy ? "odd" : "utf-8";
  return render(reading, { lines, encoding, ended, version: versionOfLarge(stats) });
}

async function readChunk(file: FileHandle, into: Buffer, position: number, shown: string): Promise<number> {
  try {
    // By position, so a file that is appended to or cut meanwhile is still read from where we are.
    const { bytesRead } = await file.read(into, 0, into.length, position);
    return bytesRead;
  } catch (error) {
    throw new PathError(explain(error, shown), { cause: error });
  }
}

interface Read {
  readonly lines: LineWindow;
  readonly encoding: Encoding;
  /** The end of the file was reached. */
  readonly ended: boolean;
  readonly version: string;
}

const NOTES: Readonly<Partial<Record<Encoding, string>>> = {
  "utf-16le": "read as UTF-16 LE",
  "utf-16be": "read as UTF-16 BE",
  gbk: "read as GBK",
  "windows-1252": "read as Windows-1252 (Latin-1)",
};

function noteOf(lines: LineWindow, encoding: Encoding, changed: boolean): string {
  const notes = [
    NOTES[encoding],
    lines.lossy ? "not UTF-8: what could not be read is shown as \uFFFD" : undefined,
    lines.carriageReturns ? "lines end in CR LF" : undefined,
    changed ? "the file changed while it was read" : undefined,
  ].filter((note) => note !== undefined);
  return notes.length === 0 ? "" : ` (${notes.join("; ")})`;
}

async function render({ file, stats, shown, window, real, force, context }: Reading, read: Read): Promise<string> {
  const { lines, encoding, ended, version } = read;
  const after = await file.stat();
  const changed = after.size !== stats.size || after.mtimeMs !== stats.mtimeMs || after.nlink === 0;
  const note = noteOf(lines, encoding, changed);
  const last = window.first + lines.texts.length - 1;
  const seen = { path: real, version, shown: { first: window.first, last } };
  if (!force && !changed && lines.texts.length > 0 && isShown(context.history, context.sentFrom ?? 0, seen))
    return (
      `${shown} is unchanged since you read it: lines ${window.first}-${last} still stand above. ` +
      "Set force to true to see them again."
    );
  const isEmpty = stats.size === 0 && lines.seen === 0;
  const about = `${stats.size} bytes${note}`;
  const told = isEmpty ? `${shown} is empty (0 bytes).${note}` : laidOut(lines, { shown, window, ended, about });
  if (!changed) context.knows?.(seen);
  return told;
}

interface Layout {
  readonly shown: string;
  readonly window: Asked["window"];
  readonly ended: boolean;
  readonly about: string;
}

function laidOut(lines: LineWindow, { shown, window, ended, about }: Layout): string {
  if (lines.texts.length === 0) {
    const where = ended
      ? `has only ${lines.seen} lines`
      : `was searched for ${MAX_SCAN} bytes without reaching line ${window.first}`;
    throw new PathError(`${shown} ${where}: choose a smaller offset.`);
  }
  const last = window.first + lines.texts.length - 1;
  const total = ended ? `of ${lines.seen}` : "and more follow";
  const body = lines.texts.map((text, index) => `${window.first + index}|${text}`).join("\n");
  const complete = ended && last === lines.seen;
  const footer = complete ? "" : `\n(not the end of the file: read on with offset ${last + 1})`;
  return `${shown}: lines ${window.first}-${last} ${total}, ${about}\n${body}${footer}`;
}
