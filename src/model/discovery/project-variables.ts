import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, readDotEnv } from "./environment.ts";

/**
 * The variables of the `.env` of a folder. It is not even opened unless the folder is trusted: whoever wrote it would
 * otherwise decide where the user's messages go.
 */
export async function projectVariables(
  folder: string,
  isTrusted: () => Promise<boolean>,
): Promise<Environment | undefined> {
  if (!(await isTrusted())) return undefined;
  try {
    return readDotEnv(readFileSync(join(folder, ".env"), "utf8"));
  } catch {
    return undefined;
  }
}
