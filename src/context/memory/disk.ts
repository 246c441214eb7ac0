import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** All that changes anything on the disk, so that a test can let a process die at each of them. */
export interface FileOperations {
  readonly openSync: (path: string, flags: string | number, mode?: number) => number;
  readonly writeSync: (file: number, data: Buffer) => number;
  readonly fsyncSync: (file: number) => void;
  readonly ftruncateSync: (file: number, bytes: number) => void;
  readonly closeSync: (file: number) => void;
  readonly renameSync: (from: string, to: string) => void;
  readonly linkSync: (from: string, to: string) => void;
  readonly mkdirSync: (path: string, options: { readonly recursive: true; readonly mode: number }) => void;
  readonly rmSync: (path: string, options: { readonly force: true }) => void;
}

export const FILE_OPERATIONS: FileOperations = {
  openSync,
  writeSync: (file, data) => writeSync(file, data),
  fsyncSync,
  ftruncateSync,
  closeSync,
  renameSync,
  linkSync,
  mkdirSync: (path, options) => {
    mkdirSync(path, options);
  },
  rmSync,
};

const OWNER_ONLY = 0o600;

/** Files that are their owner's alone, written so that whoever dies leaves the old one or the new one. */
export interface Disk {
  /** Writes a whole file that nobody reads yet, down to the disk. */
  readonly draft: (path: string, text: string) => void;
  /** Puts a draft in the place of a file. */
  readonly place: (draft: string, path: string) => void;
  /** Adds to a file, down to the disk, all of it or nothing. Returns what takes it away again. A line that was torn there is ended first. */
  readonly append: (path: string, text: string, before: { readonly bytes: number; readonly isTorn: boolean }) => Undo;
  readonly drop: (path: string) => void;
  /** Lets a file be found by another name as well; what cannot have two gets the other one. */
  readonly keepAs: (path: string, kept: string) => void;
  readonly makeFolder: (path: string) => void;
}

type Undo = () => void;

export function createDisk(files: FileOperations): Disk {
  const writeAll = (file: number, text: string): void => {
    const data = Buffer.from(text);
    for (let at = 0; at < data.length;) at += files.writeSync(file, data.subarray(at));
    files.fsyncSync(file);
  };
  return {
    draft(path, text) {
      files.rmSync(path, { force: true });
      // A link that somebody has put there is not followed.
      withFile(files, path, "wx", (file) => writeAll(file, text));
      syncFolder(files, dirname(path));
    },
    place(draft, path) {
      files.renameSync(draft, path);
      syncFolder(files, dirname(path));
    },
    append(path, text, { bytes, isTorn }) {
      const undo = (): void => {
        try {
          withFile(files, path, "r+", (file) => files.ftruncateSync(file, bytes));
        } catch {
          // Then the journal says more than the files, which are believed.
        }
      };
      try {
        withFile(files, path, "a", (file) => writeAll(file, isTorn ? `\n${text}` : text));
      } catch (error) {
        undo();
        throw error;
      }
      return undo;
    },
    drop: (path) => files.rmSync(path, { force: true }),
    keepAs(path, kept) {
      try {
        files.linkSync(path, kept);
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
        files.renameSync(path, kept);
      }
    },
    makeFolder: (path) => files.mkdirSync(path, { recursive: true, mode: 0o700 }),
  };
}

function withFile<T>(files: FileOperations, path: string, flags: string | number, work: (file: number) => T): T {
  const file = files.openSync(path, flags, OWNER_ONLY);
  try {
    return work(file);
  } finally {
    files.closeSync(file);
  }
}

/** A name is on the disk when its folder is. */
function syncFolder(files: FileOperations, folder: string): void {
  try {
    withFile(files, folder, constants.O_RDONLY, files.fsyncSync);
  } catch (error) {
    // Not every system has that, and the file is in its place.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
