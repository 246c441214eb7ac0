import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { keptSecrets } from "../config/secrets.ts";
import type { Folders } from "../config/folders.ts";
import { secretValuesIn } from "../protocol/environment-names.ts";
import { KEY_FILE } from "../protocol/keys.ts";
import { KnownValues } from "../protocol/redact/known.ts";

/**
 * What the owner of this machine keeps secret, as far as it is known here: variables that are called so, and what lies in
 * secrets.json. None of it is told to a model, shown or kept, whichever model is asked (security §3.13).
 */
export function ownerSecrets(env: NodeJS.ProcessEnv, folders: Pick<Folders, "config"> | undefined): readonly string[] {
  const kept = folders === undefined ? [] : keptIn(folders.config);
  return [...new Set([...secretValuesIn(env), ...kept])];
}

/** A file that others could have written is no file of secrets; whoever reads a key from it is told so. */
function keptIn(folder: string): readonly string[] {
  try {
    return [...keptSecrets(folder).values()];
  } catch {
    return [];
  }
}

/** The keys that are kept, also those of servers that are not in use; looked up when a tool is first called. */
export async function keptKeys(folders: Pick<Folders, "state"> | undefined): Promise<readonly string[]> {
  if (folders === undefined) return [];
  const [ofProviders, ofServers] = [folders.state, join(folders.state, "mcp")];
  return [...(await keysIn(ofProviders)), ...(await keysIn(ofServers))];
}

async function keysIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(join(folder, KEY_FILE))) return [];
  const { KeyFile } = await import("../credentials/key-file.ts");
  try {
    const keys = [...new KeyFile(folder, Date.now).read().values()].flat();
    return keys.flatMap(({ secret = "", refreshToken = "", clientSecret = "" }) => [
      secret,
      refreshToken,
      clientSecret,
    ]);
  } catch {
    return [];
  }
}

/** The same, to be looked for. */
export function knownTo(secrets: readonly string[]): KnownValues {
  const random = randomBytes(8);
  return new KnownValues(secrets, [random.readInt32LE(0), random.readInt32LE(4)]);
}
