import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import type { Unread } from "../../protocol/prompt.ts";

/** A text, or the two ends of one that is too large to be read whole. */
export interface TextOfFile {
  readonly type: "text";
  readonly head: string;
  /** Absent: the head is all there is. */
  readonly tail?: string;
  /** Of the whole file. */
  readonly bytes: number;
}

export type FileRead = TextOfFile | { readonly type: "absent" } | { readonly type: "unread"; readonly because: Unread };

/** Up to so many bytes a file is read whole, and of a larger one so many at either end. */
const WHOLE_BYTES = 262_144;
const END_BYTES = 65_536;

/** Reads a file that may be anything: never more than a bounded part of it, never waiting for a pipe, never throwing. */
export function readText(path: string): FileRead {
  let file: number;
  try {
    // Opening a pipe that nobody writes to would wait for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const fault = faultOf(error);
    return fault.type === "absent" && isLink(path) ? { type: "unread", because: "leads-nowhere" } : fault;
  }
  try {
    return readOpen(file);
  } catch (error) {
    return faultOf(error);
  } finally {
    closeSync(file);
  }
}

function readOpen(file: number): FileRead {
  const found = fstatSync(file);
  if (!found.isFile()) return { type: "unread", because: "not-a-file" };
  const bytes = found.size;
  const isWhole = bytes <= WHOLE_BYTES;
  const head = decoded(piece(file, 0, isWhole ? bytes : END_BYTES), "head");
  const tail = isWhole ? undefined : decoded(piece(file, bytes - END_BYTES, END_BYTES), "tail");
  if (head === undefined || (!isWhole && tail === undefined)) return { type: "unread", because: "not-text" };
  return { type: "text", head, bytes, ...(tail !== undefined && { tail }) };
}

function piece(file: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, buffer, read, length - read, from + read);
    if (count === 0) break;
    read += count;
  }
  return buffer.subarray(0, read);
}

/** Undefined: it is no UTF-8 text. A character that is cut in two at the edge of a piece is left out. */
function decoded(bytes: Buffer, end: "head" | "tail"): string | undefined {
  const from = end === "tail" ? bytes.findIndex((byte) => byte >> 6 !== 0b10) : 0;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(Math.max(0, from)), {
      stream: end === "head" && bytes.length === END_BYTES,
    });
    return text.includes("\0") ? undefined : text.replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function faultOf(error: unknown): FileRead {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
  if (code === "ELOOP") return { type: "unread", because: "leads-nowhere" };
  if (code === "EISDIR" || code === "ENXIO") return { type: "unread", because: "not-a-file" };
  return { type: "unread", because: code === "EACCES" || code === "EPERM" ? "no-permission" : "unreadable" };
}
