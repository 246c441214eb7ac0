import type { Stats } from "node:fs";
import { PathError } from "../paths.ts";
import { MOST_HASHED, versionOf, versionOfLarge } from "./file-version.ts";
import { codeOf, openRegularFile } from "./open-file.ts";
import type { Target } from "./target.ts";

/** A file as it was when a call looked at it. */
export interface ExistingFile {
  readonly stats: Stats;
  /** Absent: it is too large to be read whole. */
  readonly bytes?: Buffer;
  readonly version: string;
}

/** The file that is to be written; undefined: there is none yet. Throws PathError for all that is no file, or out of reach. */
export async function existingFile({ real, shown, place }: Target): Promise<ExistingFile | undefined> {
  const opened = await openRegularFile(real, shown, place).catch((error: unknown) => {
    if (error instanceof PathError && codeOf(error.cause) === "ENOENT") return undefined;
    throw error;
  });
  if (opened === undefined) return undefined;
  await using file = opened.file;
  const { stats } = opened;
  if (stats.size > MOST_HASHED) return { stats, version: versionOfLarge(stats) };
  const bytes = await file.readFile();
  return { stats, bytes, version: versionOf(bytes) };
}
