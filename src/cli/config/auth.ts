import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { rootFolders } from "../../config/folders.ts";
import { keepSecret, keptSecrets, SecretError } from "../../config/secrets.ts";
import type { ProviderSettings } from "../../config/settings.ts";
import type { SecretReference } from "../../config/reference.ts";
import { valueText } from "../../config/values.ts";
import { isKey } from "../../protocol/keys.ts";
import { printable } from "../../session/plain-text.ts";
import { CONFIG_WORDS } from "../../words/config-commands.ts";
import type { Adapters } from "../adapters.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { writeSetting } from "./change.ts";
import type { Changing } from "./commands.ts";
import { lookHere } from "./look.ts";
import { keyLine, openChest, removeFromPool, shown, withChest } from "./pool.ts";
import { providerName } from "./provider-name.ts";
import { readSecretly } from "./read-secretly.ts";

type Change = Asked & Pick<Changing, "dryRun">;

/** `evander auth login PROVIDER`: keeps a key in secrets.json, and says in the config that it lies there. */
export async function login(provider: string, asked: Change): Promise<void> {
  const { io, language, dryRun = false } = asked;
  providerName(provider);
  const config = await lookHere(io);
  const key = await readSecretly(io, CONFIG_WORDS.keyOf(provider)[language]);
  if (!isKey(key)) throw usageRefusal(CONFIG_WORDS.noKeyGiven);
  if (!dryRun) refusing(() => keepSecret(config.folders.config, provider, key));
  const value = { secret: provider };
  await writeSetting(config, { asked, name: `providers.${provider}.apiKey`, value });
}

/** A file of secrets that cannot be used is the user's to mend. */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SecretError) throw new RefusalError({ reason: "config_invalid", message: error.message });
    throw error;
  }
}

/** One key, without the key. */
interface Listed {
  readonly provider: string;
  readonly reference: string;
  readonly place: string;
  /** Null where a program would have to be run to know. */
  readonly there: boolean | null;
}

/** `evander auth list`: where the config says that keys lie, then those of the environment and those that are kept. */
export async function listKeys({ io, json, language }: Asked, adapters: Adapters): Promise<void> {
  const config = await lookHere(io);
  const listed = config.settings.providers.flatMap((provider) => describe(provider, config, io));
  const chest = await openChest(config, io, adapters);
  const named = listed.map(({ provider }) => `providers.${provider}.apiKey`);
  const pooled = (await withChest(() => chest.list())).filter(({ source }) => !named.includes(source));
  if (json) return sayJson(io, [...listed, ...pooled.map((key) => ({ reference: null, ...shown(key) }))]);
  if (listed.length + pooled.length === 0) return say(io.stderr, CONFIG_WORDS.noKey[language]);
  for (const { provider, reference, place, there } of listed)
    say(
      io.stdout,
      printable(
        `${provider}  ${reference}${there === false ? `  ${CONFIG_WORDS.notThere[language]}` : ""}  # ${place}`,
      ),
    );
  for (const key of pooled) say(io.stdout, printable(keyLine(key, language)));
}

function describe({ name, apiKey, place }: ProviderSettings, config: Config, io: Io): Listed[] {
  if (apiKey === undefined) return [];
  return [{ provider: name, reference: valueText(apiKey), place, there: isThere(apiKey, config, io) }];
}

function isThere(reference: SecretReference, config: Config, io: Io): boolean | null {
  if ("cmd" in reference) return null;
  if ("env" in reference) return (io.env[reference.env] ?? "") !== "";
  if ("file" in reference) return existsSync(reference.file);
  const folders = [config.folders.config, rootFolders(io).config];
  return folders.some((folder) => refusing(() => keptSecrets(folder)).has(reference.secret));
}

/** `evander auth remove PROVIDER [KEY]`: one that was added, or the key of `login` and what the config says of it. */
export async function removeKey(
  provider: string,
  which: string | undefined,
  asked: Change,
  adapters: Adapters,
): Promise<void> {
  const config = await lookHere(asked.io);
  const folder = config.folders.config;
  const isLogin = which === undefined && refusing(() => keptSecrets(folder)).has(provider);
  if (!isLogin) return removeFromPool(provider, which, asked, adapters);
  if (asked.dryRun !== true) refusing(() => keepSecret(folder, provider, undefined));
  const name = `providers.${provider}.apiKey`;
  const entry = config.entries.get(name);
  const isOurs = entry !== undefined && valueText(entry.value) === valueText({ secret: provider });
  if (isOurs) return writeSetting(config, { asked, name, value: null });
  if (asked.json) return sayJson(asked.io, { provider });
  say(asked.io.stdout, printable(CONFIG_WORDS.keyGone(provider)[asked.language]));
}
