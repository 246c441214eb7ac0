import { existsSync } from "node:fs";
import { join } from "node:path";
import { rootFolders, type Surroundings } from "../config/folders.ts";
import type { ModelAsked } from "../config/model-asked.ts";
import type { SecretReference } from "../config/reference.ts";
import type { SecretPlaces } from "../config/secrets.ts";
import type { ProviderSettings } from "../config/settings.ts";
import type { ConfiguredProvider } from "../model/configured.ts";
import { allKeys, otherKeys, type ProviderQuery } from "../model/keyed-servers.ts";
import { type BorrowedKey, KEY_FILE, type KeyChest, type KeyRing, type ProviderKeys } from "../protocol/keys.ts";
import type { Clock } from "../protocol/ports.ts";
import type { ProviderFound } from "../protocol/provider.ts";

interface NamedKeys {
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly apiKeys?: readonly string[];
  readonly keySource: string | undefined;
  readonly keys?: ProviderKeys;
}

/** Undefined where there is one key, or none: it needs no choosing, and costs nothing. */
export async function keyRing(named: NamedKeys, clock: Clock): Promise<KeyRing | undefined> {
  const { provider, baseUrl, apiKey, apiKeys = [], keySource = "options", keys } = named;
  if (keys === undefined && apiKeys.length === 0) return undefined;
  const { openKeyRing } = await import("../credentials/key-ring.ts");
  const own = apiKey === undefined ? [] : [{ secret: apiKey, source: keySource }];
  const listed = apiKeys.map((secret, at) => ({ secret, source: `apiKeys[${at}]` }));
  const { more = [], ...how } = keys ?? {};
  const here = [...own, ...listed, ...more];
  return openKeyRing({ ...how, provider, baseUrl, here, now: () => clock.now(), random: Math.random });
}

export interface KeysAsked {
  readonly providers: readonly ProviderSettings[];
  /** Of credentials.json. */
  readonly keyFolder: string;
}

const isThere = (folder: string): boolean => existsSync(join(folder, KEY_FILE));

/** What else the server that was found can be asked with; undefined where that can be nothing. */
export function keysFor(
  found: ProviderFound,
  { providers, keyFolder }: KeysAsked,
  query: ProviderQuery,
): ProviderKeys | undefined {
  const more = otherKeys(found, query);
  if (more.length === 0 && !isThere(keyFolder)) return undefined;
  const strategy = providers.find(({ name }) => name === found.provider)?.keyStrategy;
  return { folder: keyFolder, more, ...(strategy !== undefined && { strategy }) };
}

/**
 * The variables of the `.env` of a folder. It is not even opened unless the folder is trusted: whoever wrote it would
 * otherwise decide where the user's messages go.
 */
export async function projectVariables(cwd: string, around: Surroundings): Promise<ProviderQuery["dotEnv"]> {
  const path = join(cwd, ".env");
  if (!existsSync(path)) return undefined;
  const [{ isTrusted }, { readDotEnv }] = await Promise.all([
    import("../config/trust.ts"),
    import("../model/discovery/environment.ts"),
  ]);
  return isTrusted(rootFolders(around).data, cwd) ? readDotEnv(path) : undefined;
}

/** The keys that are kept, with those of the environment and those that the config names; no program is run for one. */
export async function openKeys(
  { cwd, keyFolder, providers, secrets: folders }: Pick<ModelAsked, "cwd" | "keyFolder" | "providers" | "secrets">,
  around: Surroundings,
): Promise<KeyChest> {
  const { openKeyChest } = await import("../credentials/chest.ts");
  const { env } = around;
  const variables = { env, dotEnv: await projectVariables(cwd, around) };
  const here = new Map<string, BorrowedKey[]>();
  for (const { entry, apiKey, keySource: source, baseUrl = "" } of allKeys(variables))
    here.set(entry.id, [{ secret: apiKey, source }, ...otherKeys({ provider: entry.id, baseUrl, apiKey }, variables)]);
  for (const { name, apiKey } of providers) {
    const secret = await readable(apiKey, { env, folders });
    const key = { secret, source: `providers.${name}.apiKey` };
    if (secret !== undefined) here.set(name, [{ ...key, secret }, ...(here.get(name) ?? [])]);
  }
  return openKeyChest(keyFolder, Date.now, here);
}

/** A key that is not there is told by whoever lists where keys lie. */
async function readable(reference: SecretReference | undefined, places: SecretPlaces): Promise<string | undefined> {
  if (reference === undefined || "cmd" in reference) return undefined;
  const { readSecret } = await import("../config/secrets.ts");
  return readSecret(reference, places).catch(() => undefined);
}

/** Providers whose keys were added by hand, and of which the config names none. Rejects with KeyFileError. */
export async function withKeptKeys(
  described: readonly ConfiguredProvider[],
  folder: string,
): Promise<readonly ConfiguredProvider[]> {
  if (!isThere(folder)) return described;
  const { firstKeys } = await import("../credentials/chest.ts");
  const place = join(folder, KEY_FILE);
  const kept = new Map(firstKeys(folder, Date.now));
  const known = described.map((provider) => {
    const key = kept.get(provider.name);
    kept.delete(provider.name);
    return provider.readKey !== undefined || key === undefined
      ? provider
      : { ...provider, readKey: () => Promise.resolve(key.secret), keySource: place };
  });
  const added = [...kept].map(([name, { secret, baseUrl }]) => ({
    name,
    place,
    baseUrl,
    readKey: () => Promise.resolve(secret),
    keySource: place,
  }));
  return [...known, ...added];
}
