import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type ImagePart, LARGEST_PICTURE, type TextPart } from "../../protocol/message.ts";
import type { Tool } from "../../protocol/tool.ts";
import { binaryKind } from "./binary.ts";
import { pictureOf, pictureType } from "../pictures/picture.ts";
import { explain, openRegularFile } from "./open-file.ts";
import { askAbout, claimPath, PathError, permittedPath, shownPath, whyAskToRead, type Place } from "../paths.ts";

// Hermes §14.6 and §16.
const DEFAULT_LINES = 500;
const MAX_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const MAX_CHARS = 100_000;
/** Bytes that one read looks at before it gives up finding its lines. */
const MAX_SCAN = 64 * 1024 * 1024;
/** Bytes looked at to tell how many lines there are in all. */
const COUNT_SCAN = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;
/** A character is at most 4 bytes, so this much of a line is enough to show it. */
const LINE_BYTES = MAX_LINE_CHARS * 4 + 4;

/** Reads a text file in numbered lines, in a stream: its size does not matter. Text that is not UTF-8 is shown as well as it can be, with a note. */
export function readFileTool(place: Place): Tool {
  return {
    name: "read_file",
    toolset: "files",
    // Else what was kept in a file could not be read on there.
    resultLimit: Infinity,
    description:
      "Read a text file. Returns numbered lines (NUMBER|TEXT) and says how to read on. " +
      `Shows ${DEFAULT_LINES} lines unless limit says otherwise; lines over ${MAX_LINE_CHARS} characters are cut. ` +
      "Pictures are shown as they are, other binary files are not. For a folder use search_files.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working folder or absolute." },
        offset: { type: "integer", minimum: 1, description: "First line to show, from 1. Default 1." },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LINES,
          description: `Lines to show. Default ${DEFAULT_LINES}.`,
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    effect: "pure",
    concurrency: "paths",
    claim: (input) => claimPath(input["path"], place, "reads"),
    ask: (input) => askAbout(input["path"], place, whyAskToRead),
    run: async (input, context) => {
      const real = permittedPath(String(input["path"]), place, { mode: "reads", approved: context.approved });
      const window = { first: Number(input["offset"] ?? 1), lines: Number(input["limit"] ?? DEFAULT_LINES) };
      const shown = shownPath(real, place);
      const opened = await openRegularFile(real, shown, place);
      await using file = opened.file;
      return await readWindow({ file, stats: opened.stats, shown, window, signal: context.signal });
    },
  };
}

interface Reading {
  readonly file: FileHandle;
  readonly stats: Stats;
  readonly shown: string;
  readonly window: { readonly first: number; readonly lines: number };
  readonly signal: AbortSignal;
}

/** A picture for the model to see. */
async function pictureIn(file: FileHandle, { size }: Stats, shown: string): Promise<readonly (TextPart | ImagePart)[]> {
  if (size > LARGEST_PICTURE)
    throw new PathError(
      `${shown} is a picture of ${size} bytes, and at most ${LARGEST_PICTURE} can be shown: make a smaller copy first.`,
    );
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  return [{ type: "text", text: `The picture ${shown}:` }, await pictureOf(bytes.subarray(0, bytesRead), shown)];
}

async function readWindow({ file, stats, shown, window, signal }: Reading): Promise<ReturnType<Tool["run"]>> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  const lines = new LineWindow(window.first, window.lines);
  let scanned = 0;
  let ended = false;
  while (scanned < (lines.full ? COUNT_SCAN : MAX_SCAN)) {
    signal.throwIfAborted();
    const size = await readChunk(file, chunk, scanned, shown);
    ended = size === 0;
    if (ended) break;
    const bytes = chunk.subarray(0, size);
    const kind = scanned === 0 ? binaryKind(bytes) : undefined;
    if (kind !== undefined && pictureType(bytes) !== undefined) return pictureIn(file, stats, shown);
    if (kind !== undefined)
      throw new PathError(`${shown} is ${kind} (${stats.size} bytes), not text, and is not shown.`);
    scanned += size;
    lines.push(bytes);
  }
  if (ended) lines.end();
  const after = await file.stat();
  const changed = after.size !== stats.size || after.mtimeMs !== stats.mtimeMs || after.nlink === 0;
  return render(lines, { shown, size: stats.size, window, ended, changed });
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

interface Ending {
  readonly shown: string;
  readonly size: number;
  readonly window: Reading["window"];
  /** The end of the file was reached. */
  readonly ended: boolean;
  readonly changed: boolean;
}

function render(lines: LineWindow, { shown, size, window, ended, changed }: Ending): string {
  const notes: string[] = [];
  if (lines.lossy) notes.push("not UTF-8: what could not be read is shown as \uFFFD");
  if (lines.carriageReturns) notes.push("lines end in CR LF");
  if (changed) notes.push("the file changed while it was read");
  const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  if (size === 0 && lines.seen === 0) return `${shown} is empty (0 bytes).${note}`;
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
  return `${shown}: lines ${window.first}-${last} ${total}, ${size} bytes${note}\n${body}${footer}`;
}

/** Collects the lines of a window from chunks of bytes; holds no more than it will show. */
class LineWindow {
  readonly texts: string[] = [];
  /** Complete lines so far, shown or not. */
  seen = 0;
  /** Nothing more will be shown; lines are only counted. */
  full = false;
  lossy = false;
  carriageReturns = false;
  readonly #first: number;
  readonly #count: number;
  #chars = 0;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #open = false;

  constructor(first: number, count: number) {
    this.#first = first;
    this.#count = count;
  }

  push(bytes: Buffer): void {
    let start = 0;
    while (start < bytes.length) {
      const newline = bytes.indexOf(10, start);
      this.#extend(bytes.subarray(start, newline === -1 ? bytes.length : newline));
      if (newline === -1) return;
      this.#close();
      start = newline + 1;
    }
  }

  /** A last line without a line break counts as a line. */
  end(): void {
    if (this.#open) this.#close();
  }

  #extend(piece: Buffer): void {
    this.#open = true;
    const room = LINE_BYTES - this.#lineBytes;
    this.#lineBytes += piece.length;
    // The caller's buffer is used again, so what is kept is copied.
    if (!this.full && this.seen + 1 >= this.#first && room > 0) this.#line.push(Buffer.from(piece.subarray(0, room)));
  }

  #close(): void {
    this.seen += 1;
    if (!this.full && this.seen >= this.#first) this.#show(Buffer.concat(this.#line));
    this.#line = [];
    this.#lineBytes = 0;
    this.#open = false;
  }

  #show(bytes: Buffer): void {
    const cutBytes = this.#lineBytes > bytes.length;
    if (!cutBytes && !isUtf8(bytes)) this.lossy = true;
    let text = bytes.toString("utf8");
    if (this.seen === 1 && text.startsWith("\uFEFF")) text = text.slice(1);
    if (text.endsWith("\r")) {
      this.carriageReturns = true;
      text = text.slice(0, -1);
    }
    if (cutBytes || text.length > MAX_LINE_CHARS) {
      text = `${text.slice(0, MAX_LINE_CHARS).toWellFormed()} [cut: the line has ${this.#lineBytes} bytes]`;
    }
    if (this.texts.length > 0 && this.#chars + text.length > MAX_CHARS) {
      this.full = true;
      return;
    }
    this.texts.push(text);
    this.#chars += text.length + 1;
    if (this.texts.length === this.#count) this.full = true;
  }
}
