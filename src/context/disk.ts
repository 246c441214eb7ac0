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
  /** Writes a whole file that nobody reads yet, down to the disk. `mode`: its owner alone reads and writes it when absent. */
  readonly draft: (path: string, content: string | Buffer, mode?: number) => void;
  /** Puts a draft in the place of a file. */
  readonly place: (draft: string, path: string) => void;
  /** Makes this the content of a file, in a folder that is made where there is none. One at a time. */
  readonly replace: (path: string, text: string) => void;
  /** Adds to a file, down to the disk, all of it or nothing. Returns what takes it away again. A line that was torn there is ended first. */
  readonly append: (path: string, text: string, before: { readonly bytes: number; readonly isTorn: boolean }) => Undo;
  readonly drop: (path: string) => void;
  /** Lets a file be found by another name as well; what cannot have two gets the other one. */
  readonly keepAs: (path: string, kept: string) => void;
  readonly makeFolder: (path: string) => void;
}

type Undo = () => void;

export function createDisk(files: FileOperations): Disk {
  const writeAll = (file: number, content: string | Buffer): void => {
    const data = typeof content === "string" ? Buffer.from(content) : content;
    for (let at = 0; at < data.length;) at += files.writeSync(file, data.subarray(at));
    files.fsyncSync(file);
  };
  const makeFolder: Disk["makeFolder"] = (path) => files.mkdirSync(path, { recursive: true, mode: 0o700 });
  const draft: Disk["draft"] = (path, content, mode = OWNER_ONLY) => {
    files.rmSync(path, { force: true });
    // A link that somebody has put there is not followed.
    withFile(files, { path, flags: "wx", mode }, (file) => writeAll(file, content));
    syncFolder(files, dirname(path));
  };
  const place: Disk["place"] = (from, path) => {
    files.renameSync(from, path);
    syncFolder(files, dirname(path));
  };
  return {
    makeFolder,
    draft,
    place,
    replace(path, text) {
      makeFolder(dirname(path));
      draft(nextOf(path), text);
      place(nextOf(path), path);
    },
    append(path, text, { bytes, isTorn }) {
      const undo = (): void => {
        try {
          withFile(files, { path, flags: "r+" }, (file) => files.ftruncateSync(file, bytes));
        } catch {
          // Then the journal says more than the files, which are believed.
        }
      };
      try {
        withFile(files, { path, flags: "a" }, (file) => writeAll(file, isTorn ? `\n${text}` : text));
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
  };
}

/** Where the file that takes the place of another is drafted. */
export const nextOf = (path: string): string => `${path}.next`;

interface Opening {
  readonly path: string;
  readonly flags: string | number;
  readonly mode?: number;
}

function withFile<T>(files: FileOperations, { path, flags, mode = OWNER_ONLY }: Opening, work: (file: number) => T): T {
  const file = files.openSync(path, flags, mode);
  try {
    return work(file);
  } finally {
    files.closeSync(file);
  }
}

/** A name is on the disk when its folder is. */
function syncFolder(files: FileOperations, folder: string): void {
  try {
    withFile(files, { path: folder, flags: constants.O_RDONLY }, files.fsyncSync);
  } catch (error) {
    // Not every system has that, and the file is in its place.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

/** The disk of this machine. */
export const DISK: Disk = createDisk(FILE_OPERATIONS);
