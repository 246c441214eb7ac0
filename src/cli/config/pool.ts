import type { Config } from "../../config/config.ts";
import { modelAsked } from "../../config/model-asked.ts";
import { objectInText } from "../../protocol/json.ts";
import {
  type Grant,
  isKey,
  isSafeAddress,
  type KeyChest,
  KeyFileError,
  type KnownKey,
  MANUAL,
  type NewKey,
} from "../../protocol/keys.ts";
import { tokensIn } from "../../protocol/tokens.ts";
import { oneLine, printable } from "../../session/plain-text.ts";
import { KEY_WORDS, keyFileSteps, keyState } from "../../words/keys.ts";
import type { Language, Text } from "../../words/language.ts";
import type { Adapters } from "../adapters.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { lookHere } from "./look.ts";
import { providerName } from "./provider-name.ts";
import { readSecretly } from "./read-secretly.ts";

/** How a key is to be kept, as it stands on a command line. */
export interface KeyFlags {
  readonly label?: string;
  readonly priority?: string;
  readonly baseUrl?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
}

type Adding = Asked & KeyFlags & { readonly dryRun?: boolean };

/** The keys of this place. */
export const openChest = async (config: Config, io: Io, adapters: Adapters): Promise<KeyChest> =>
  adapters.openKeys(modelAsked(config, io, io.cwd));

/** A file of keys that cannot be used is its user's to mend. */
export const keyFileRefusal = (error: KeyFileError): RefusalError =>
  new RefusalError({ reason: "config_invalid", message: error.message, steps: keyFileSteps(error) });

/** See keyFileRefusal. */
export async function withChest<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KeyFileError ? keyFileRefusal(error) : error;
  }
}

/** `evander auth add PROVIDER`: one more key, beside those that are there. */
export async function addKey(provider: string, asked: Adding, adapters: Adapters): Promise<void> {
  const { io, language, json, dryRun = false } = asked;
  const place = placeOf(providerName(provider), asked);
  const config = await lookHere(io);
  const chest = await openChest(config, io, adapters);
  const given = await readSecretly(io, KEY_WORDS.keyOf(provider)[language]);
  const key = asked.tokenUrl === undefined ? plainKey(given) : grantIn(given, asked.tokenUrl, asked.clientId);
  if (dryRun) {
    if (json) return sayJson(io, { provider, dryRun });
    return say(io.stdout, printable(KEY_WORDS.wouldAdd(provider)[language]));
  }
  const added = await withChest(() => chest.add({ ...place, key }));
  if (json) return sayJson(io, { ...shown(added), dryRun });
  say(io.stdout, printable(KEY_WORDS.added(provider, added.label, added.fingerprint)[language]));
}

function placeOf(provider: string, { label, priority, baseUrl }: KeyFlags): Omit<NewKey, "key"> {
  if (priority !== undefined && !/^-?\d{1,6}$/u.test(priority))
    throw usageRefusal(KEY_WORDS.noPriority(JSON.stringify(priority)));
  if (baseUrl !== undefined && !/^https?:$/u.test(URL.parse(baseUrl)?.protocol ?? ""))
    throw usageRefusal(KEY_WORDS.noAddress(JSON.stringify(baseUrl)));
  // Whatever server is asked next may be called so.
  if (provider === "custom" && baseUrl === undefined) throw usageRefusal(KEY_WORDS.whichServer);
  return {
    provider,
    ...(label !== undefined && { label: oneLine(label) }),
    ...(priority !== undefined && { priority: Number(priority) }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

function plainKey(given: string): string {
  if (!isKey(given)) throw usageRefusal(KEY_WORDS.noKey);
  return given;
}

/** What an authority answered when it granted a key (RFC 6749), as JSON. */
function grantIn(given: string, tokenUrl: string, clientId: string | undefined): Grant {
  if (clientId === undefined) throw usageRefusal(KEY_WORDS.whichClient);
  if (!isSafeAddress(tokenUrl)) throw usageRefusal(KEY_WORDS.notSafe(JSON.stringify(tokenUrl)));
  const { secret, refreshToken, lifetimeMs } = tokensIn(objectInText(given) ?? {}) ?? {};
  if (secret === undefined || refreshToken === undefined) throw usageRefusal(KEY_WORDS.noGrant);
  return { secret, refreshToken, tokenUrl, clientId, ...expiry(lifetimeMs) };
}

const expiry = (lifetimeMs: number | undefined): Pick<Grant, "expiresMs"> =>
  lifetimeMs === undefined ? {} : { expiresMs: Date.now() + lifetimeMs };

export interface DeviceFlags extends KeyFlags {
  readonly deviceUrl?: string;
  readonly scope?: string;
}

/** `evander auth login PROVIDER --device`: a person agrees elsewhere, and the key that is granted is kept. */
export async function loginElsewhere(provider: string, asked: Asked & DeviceFlags, adapters: Adapters): Promise<void> {
  const { io, language, json, deviceUrl, tokenUrl, clientId, scope } = asked;
  const place = placeOf(providerName(provider), asked);
  if (deviceUrl === undefined || tokenUrl === undefined || clientId === undefined)
    throw usageRefusal(KEY_WORDS.whichAuthority);
  for (const url of [deviceUrl, tokenUrl])
    if (!isSafeAddress(url)) throw usageRefusal(KEY_WORDS.notSafe(JSON.stringify(url)));
  const chest = await openChest(await lookHere(io), io, adapters);
  await withChest(() => chest.list());
  const authority = { deviceUrl, tokenUrl, clientId, ...(scope !== undefined && { scope }) };
  const answer = await adapters.loginByDevice(authority, ({ userCode, address }) =>
    say(io.stderr, printable(KEY_WORDS.agree(address, userCode)[language])),
  );
  if (answer.type === "silent") throw notGranted(KEY_WORDS.noAuthority(deviceUrl));
  if (answer.type === "refused") throw notGranted(KEY_WORDS.notGranted(answer.code));
  const added = await withChest(() => chest.add({ ...place, key: answer.grant }));
  if (json) return sayJson(io, shown(added));
  say(io.stdout, printable(KEY_WORDS.added(provider, added.label, added.fingerprint)[language]));
}

const notGranted = (message: Text): RefusalError => new RefusalError({ reason: "usage_error", message });

/** `evander auth status`: what is known of each key, and when it returns. */
export async function keyStatus(asked: Asked, adapters: Adapters): Promise<void> {
  const { io, json, language } = asked;
  const chest = await openChest(await lookHere(io), io, adapters);
  const keys = await withChest(() => chest.list());
  if (json) return sayJson(io, keys.map(shown));
  if (keys.length === 0) return say(io.stderr, KEY_WORDS.none[language]);
  const nowMs = Date.now();
  for (const key of keys) say(io.stdout, printable(`${nameOf(key)}  ${keyState(key, nowMs)[language]}`));
}

const nameOf = ({ provider, label, fingerprint }: KnownKey): string => `${provider}  ${label}  #${fingerprint}`;

/** As lists show it, for people. */
export function keyLine(key: KnownKey, language: Language): string {
  const source = key.source === MANUAL ? KEY_WORDS.kept[language] : key.source;
  return key.label === key.source ? nameOf(key) : `${nameOf(key)}  ${source}`;
}

/** For machines: plain values, and instants as text. */
export function shown({ status, expiresMs, ...key }: KnownKey): Readonly<Record<string, unknown>> {
  const { state } = status;
  const told = state === "ok" ? { reason: null, message: null } : { reason: status.reason, message: status.message };
  const returns = state === "exhausted" ? new Date(status.untilMs).toISOString() : null;
  return { ...key, expires: expiresMs === null ? null : new Date(expiresMs).toISOString(), state, returns, ...told };
}

/** `evander auth remove PROVIDER [KEY]`. */
export async function removeFromPool(
  provider: string,
  which: string | undefined,
  asked: Adding,
  adapters: Adapters,
): Promise<void> {
  const { io, json, language, dryRun = false } = asked;
  const chest = await openChest(await lookHere(io), io, adapters);
  const removal = await withChest(() => chest.remove(provider, which, dryRun));
  switch (removal.type) {
    case "none":
      throw usageRefusal(KEY_WORDS.noSuchKey(provider, which));
    case "several":
      throw usageRefusal(
        KEY_WORDS.whichKey(
          provider,
          removal.keys.map(({ id, label, fingerprint }) => `${id} (${label}, #${fingerprint})`),
        ),
      );
    case "removed":
      if (json) return sayJson(io, { ...shown(removal.key), dryRun });
      return say(io.stdout, printable(KEY_WORDS.removed(removal.key.label, removal.key.fingerprint, dryRun)[language]));
  }
}
