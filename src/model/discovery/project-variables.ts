import { existsSync, readFileSync } from "node:fs";
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
  const file = join(folder, ".env");
  if (!existsSync(file) || !(await isTrusted())) return undefined;
  try {
    return readDotEnv(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
