import { join } from "node:path";
import { MANUAL } from "../protocol/keys.ts";
import type { GrantShelf, ServerGrant } from "../protocol/mcp.ts";
import { fingerprintOf, type KeyEntry, newId, UNUSED } from "./entry.ts";
import { KeyFile } from "./key-file.ts";

/**
 * The folder of what authorities have granted for servers of tools, beside the keys of providers and never among them: no
 * model is asked with one.
 */
const grantsFolder = (stateFolder: string): string => join(stateFolder, "mcp");

/** Where the grant for one server is kept; its owner's alone, shared by all processes. */
export function grantShelf(stateFolder: string, name: string, now: () => number): GrantShelf {
  const file = new KeyFile(grantsFolder(stateFolder), now);
  const shelf = file.shelf(name);
  return {
    read: () => grantIn(shelf.read()[0]),
    keep: async (grant) => {
      await file.change(name, () => (grant === undefined ? [] : [entryOf(name, grant)]));
    },
    alone: (work) => shelf.alone(name, work),
  };
}

const entryOf = (name: string, grant: ServerGrant): KeyEntry => {
  const { token, resource, ...rest } = grant;
  const own = { id: newId(), label: name, type: "oauth", priority: 0, source: MANUAL, formerly: [] } as const;
  return { ...own, ...UNUSED, ...rest, secret: token, fingerprint: fingerprintOf(token), baseUrl: resource };
};

function grantIn(entry: KeyEntry | undefined): ServerGrant | undefined {
  const { secret, baseUrl, tokenUrl, clientId, refreshToken, expiresMs, clientSecret } = entry ?? {};
  if (secret === undefined || baseUrl === undefined || tokenUrl === undefined || clientId === undefined)
    return undefined;
  return {
    token: secret,
    resource: baseUrl,
    tokenUrl,
    clientId,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresMs !== undefined && { expiresMs }),
    ...(clientSecret !== undefined && { clientSecret }),
  };
}
