import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DISK } from "../context/disk.ts";
import { locked } from "../credentials/lock.ts";
import { whyNotPrivate } from "../protocol/private-file.ts";

/** A file of decisions that are its owner's alone. */
interface PrivateFile {
  readonly path: string;
  /** Undefined: there is none. Throws, with what to do, for what is no file of this user alone. */
  read(): string | undefined;
  /** Puts in its place what comes of it, one process at a time. */
  change(how: (text: string | undefined) => string): Promise<void>;
}

/** `NAME.json` in the folder of a profile. */
export function privateFile(data: string, name: string): PrivateFile {
  const path = join(data, `${name}.json`);
  const read = (): string | undefined => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile()) throw new Error(`${path} is no regular file, so it is not used: move it away.`);
    const why = whyNotPrivate(path, found, process);
    if (why !== undefined) throw new Error(why.message);
    return readFileSync(path, "utf8");
  };
  return {
    path,
    read,
    change: async (how) => {
      mkdirSync(data, { recursive: true, mode: 0o700 });
      await locked(join(data, `${name}.lock`), () => DISK.replace(path, how(read())));
    },
  };
}
