import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";

/** Why nothing of a file of a skill can be told. `outside`: a link leads to what is no part of the skill. */
export type ReadFault =
  | { readonly why: "absent" | "outside" | "not-a-file" | "not-text" | "no-permission" | "unreadable" }
  | { readonly why: "too-large"; readonly bytes: number };

export interface ReadText {
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
}

export type FileRead = ReadText | { readonly fault: ReadFault };

/** As much as is read of a file, and as much as it may have, bytes. */
export interface Amount {
  readonly read: number;
  readonly most: number;
}

/** A text, or its beginning. Never more than that is read, nothing is waited for, and nothing outside of the folder is opened. */
export function readIn(folder: string, path: string, amount: Amount): FileRead {
  let file: number;
  try {
    file = openIn(folder, path);
  } catch (error) {
    return { fault: error instanceof LeadsOut ? { why: "outside" } : faultOf(error) };
  }
  try {
    return readOpen(file, amount);
  } catch (error) {
    return { fault: faultOf(error) };
  } finally {
    closeSync(file);
  }
}

class LeadsOut extends Error {}

// Opening a pipe that nobody writes to would wait for ever.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_FOLLOW: number | undefined = constants.O_NOFOLLOW;

/** A link is followed where it leads to another file of the skill. */
function openIn(folder: string, path: string): number {
  const whole = join(folder, path);
  if (!path.includes("/") && NO_FOLLOW !== undefined) {
    try {
      return openSync(whole, READ | NO_FOLLOW);
    } catch (error) {
      if (!isLink(error)) throw error;
    }
  }
  return openSync(inside(folder, whole), READ);
}

const isLink = (error: unknown): boolean => ["ELOOP", "EMLINK"].includes(codeOf(error));

function inside(folder: string, whole: string): string {
  const real = realpathSync(whole);
  if (isBelow(realpathSync(folder), real)) return real;
  throw new LeadsOut();
}

/** Both are real paths. */
export const isBelow = (folder: string, path: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function readOpen(file: number, { read, most }: Amount): FileRead {
  const found = fstatSync(file);
  if (!found.isFile()) return { fault: { why: "not-a-file" } };
  if (found.size > most) return { fault: { why: "too-large", bytes: found.size } };
  const text = decoded(piece(file, Math.min(read, found.size)), found.size <= read);
  return text === undefined ? { fault: { why: "not-text" } } : { text, bytes: found.size };
}

function piece(file: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, buffer, read, length - read, read);
    if (count === 0) break;
    read += count;
  }
  return buffer.subarray(0, read);
}

/** Undefined: it is no UTF-8 text. Of a beginning, a character that is cut in two at its end is left out. */
function decoded(bytes: Buffer, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    return text.includes("\0") ? undefined : text.replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

function faultOf(error: unknown): ReadFault {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { why: "absent" };
    case "EISDIR":
    case "ENXIO":
      return { why: "not-a-file" };
    case "EACCES":
    case "EPERM":
      return { why: "no-permission" };
    default:
      return { why: "unreadable" };
  }
}

/** Something is there, and be it a link that leads nowhere. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
