import { gunzipSync } from "node:zlib";
import { type Entry, PARCEL_LIMITS } from "./entries.ts";

/** An entry with what is in it. */
export interface Packed extends Entry {
  readonly content: Buffer;
  readonly executable: boolean;
}

/** What is no archive that can be read; the message is one sentence without its full stop. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

const BLOCK = 512;
/** All files, a header and a name for each, the padding; nothing more is ever unpacked, whatever an archive holds. */
export const MAX_UNPACKED: number = PARCEL_LIMITS.bytes + PARCEL_LIMITS.entries * 4 * BLOCK;

/** security.md §3.4: no archive that people pack unpacks to more than so many times its size. */
const MAX_RATIO = 100;

/** Unpacked in memory, never further than a skill may be large or an honest archive grows. Throws ArchiveError. */
export function unpacked(archive: Buffer): Buffer {
  const isGzip = archive[0] === 0x1f && archive[1] === 0x8b;
  if (!isGzip) return archive;
  const most = Math.min(MAX_UNPACKED, MAX_RATIO * archive.length);
  try {
    return gunzipSync(archive, { maxOutputLength: most });
  } catch (error) {
    const tooLarge = error instanceof RangeError || (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const why = error instanceof Error ? error.message : String(error);
    const limit = most < MAX_UNPACKED ? `${MAX_RATIO} times its size` : `${MAX_UNPACKED} bytes`;
    throw new ArchiveError(tooLarge ? `it unpacks to more than ${limit}` : `it cannot be unpacked: ${why}`);
  }
}

/**
 * The entries of a tar archive (POSIX ustar and pax, long names of GNU tar), in its order. Links, devices and whatever
 * else is no file or folder come as `other`. Throws ArchiveError.
 */
export function* tarEntries(tar: Buffer): Generator<Packed> {
  let said: Said = {};
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (checksum(header) !== octal(header.subarray(148, 156)))
      throw new ArchiveError("it is no tar archive, or damaged");
    const type = String.fromCharCode(header[156] ?? 0);
    const size = said.size ?? octal(header.subarray(124, 136));
    const begin = at + BLOCK;
    if (begin + size > tar.length) throw new ArchiveError("it ends in the middle of a file");
    const content = tar.subarray(begin, begin + size);
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
    if (AHEAD.has(type)) said = { ...said, ...saidAhead(type, content) };
    else {
      yield entryOf(header, { type, content, path: said.path ?? ustarPath(header) });
      said = {};
    }
  }
  throw new ArchiveError("it is no tar archive, or its end is missing");
}

/** What stands in front of an entry about it. */
interface Said {
  readonly path?: string;
  readonly size?: number;
}

/** What pax says of an entry and of all, and what GNU tar does of a long name and of where a link leads. */
const AHEAD: ReadonlySet<string> = new Set(["x", "g", "L", "K"]);

function saidAhead(type: string, content: Buffer): Said {
  if (type === "L") return { path: untilNul(content) };
  return type === "x" ? paxOf(content) : {};
}

function entryOf(header: Buffer, { type, content, path }: { type: string; content: Buffer; path: string }): Packed {
  const isFolder = type === "5" || (path.endsWith("/") && (type === "0" || type === "\0"));
  const mode = octal(header.subarray(100, 108));
  // A program that runs as its owner is nothing that a skill brings (security.md §3.4).
  const isFile = (type === "0" || type === "\0") && (mode & 0o6000) === 0;
  const kind = isFolder ? "folder" : isFile ? "file" : "other";
  const executable = (mode & 0o100) !== 0;
  return { path, kind, bytes: content.length, content, executable };
}

const untilNul = (field: Buffer): string => {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString("utf8");
};

function ustarPath(header: Buffer): string {
  const name = untilNul(header.subarray(0, 100));
  const prefix = header.subarray(257, 262).toString("latin1") === "ustar" ? untilNul(header.subarray(345, 500)) : "";
  return prefix === "" || header[263] === 0x20 ? name : `${prefix}/${name}`;
}

/** Numbers of more than eight digits of an octal are written otherwise; no skill holds such files. */
function octal(field: Buffer): number {
  const text = field.toString("latin1").replaceAll("\0", " ").trim();
  if (text === "") return 0;
  if (!/^[0-7]+$/u.test(text)) throw new ArchiveError("it holds a number that is none");
  return Number.parseInt(text, 8);
}

function checksum(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum;
}

/** Records of `LENGTH KEY=VALUE\n`; a value may hold anything. */
function paxOf(content: Buffer): Said {
  let said: Said = {};
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.subarray(at, space).toString("latin1"));
    if (space < 0 || !Number.isInteger(length) || length < 5 || at + length > content.length)
      throw new ArchiveError("it holds a header that is none");
    const record = content.subarray(space + 1, at + length - 1).toString("utf8");
    const equals = record.indexOf("=");
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === "path") said = { ...said, path: value };
    if (key === "size") said = { ...said, size: sizeOf(value) };
    at += length;
  }
  return said;
}

function sizeOf(value: string): number {
  if (!/^\d{1,12}$/u.test(value)) throw new ArchiveError("it holds a number that is none");
  return Number(value);
}
