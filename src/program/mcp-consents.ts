import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Folders } from "../config/folders.ts";
import { DISK } from "../context/disk.ts";
import { locked } from "../credentials/lock.ts";
import { whyNotPrivate } from "../protocol/private-file.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { type ConsentFile, type Consents, readConsents } from "../tools/mcp/consent.ts";

/** What its owner has agreed to of servers of tools, in the folder of a profile: their own alone. */
export function consentFile({ data }: Pick<Folders, "data">): ConsentFile & { readonly path: string } {
  const path = join(data, "mcp-consents.json");
  const read = (): string | undefined => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile()) throw new Error(`${path} is no file.`);
    const why = whyNotPrivate(path, found, process);
    if (why !== undefined) throw new Error(why.message);
    return readFileSync(path, "utf8");
  };
  return {
    path,
    read,
    change: async (how) => {
      mkdirSync(data, { recursive: true, mode: 0o700 });
      await locked(join(data, "mcp-consents.lock"), () => DISK.replace(path, how(read())));
    },
  };
}

/** A file that cannot be used allows nothing; `why` says so. */
export function consentsOf(file: Pick<ConsentFile, "read">): Consents & { readonly why?: string } {
  try {
    return readConsents(file.read());
  } catch (error) {
    return { kept: new Map(), damaged: new Set(["*"]), why: reasonOf(error) };
  }
}
