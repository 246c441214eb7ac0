import { type BorrowedKey, type KeyChest, KeyFileError, MANUAL, type NewKey, type Removal } from "../protocol/keys.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { byPriority, fingerprintOf, type KeyEntry, type Keys, knownKey, newId, UNUSED, withBorrowed } from "./entry.ts";
import { settled } from "./cool-down.ts";
import { KeyFile } from "./key-file.ts";

/** The keys that are kept in a folder, for whoever adds, shows and removes them. */
export function openKeyChest(
  folder: string,
  now: () => number,
  here: ReadonlyMap<string, readonly BorrowedKey[]> = new Map(),
): KeyChest {
  const file = new KeyFile(folder, now);
  const keysOf = (provider: string): Keys =>
    byPriority(withBorrowed(settled(file.read().get(provider) ?? [], now()), here.get(provider) ?? []));
  const change = async (provider: string, how: (keys: Keys) => Keys): Promise<Keys> => {
    try {
      return await file.change(provider, how);
    } catch (error) {
      if (error instanceof KeyFileError) throw error;
      throw new KeyFileError(`${file.path} cannot be written: ${reasonOf(error)}`);
    }
  };
  return {
    list: () =>
      [...new Set([...file.read().keys(), ...here.keys()])]
        .toSorted()
        .flatMap((provider) => keysOf(provider).map((entry) => knownKey(provider, entry))),
    add: async (key) => {
      const entry = entryOf(key, keysOf(key.provider));
      const keys = await change(key.provider, (known) => [
        ...known.filter(({ fingerprint }) => fingerprint !== entry.fingerprint),
        entry,
      ]);
      return knownKey(key.provider, keys.find(({ id }) => id === entry.id) ?? entry);
    },
    remove: async (provider, which, dryRun) => {
      const found = meant(
        keysOf(provider).filter(({ source }) => source === MANUAL),
        which,
      );
      const [first, ...others] = found.map((entry) => knownKey(provider, entry));
      if (first === undefined) return { type: "none" };
      if (others.length > 0) return { type: "several", keys: [first, ...others] };
      if (!dryRun) await change(provider, (keys) => keys.filter(({ id }) => id !== first.id));
      return { type: "removed", key: first } satisfies Removal;
    },
  };
}

/** The keys that could be meant. */
const meant = (keys: Keys, which: string | undefined): Keys =>
  which === undefined ? keys : keys.filter((entry) => [entry.id, entry.label, entry.fingerprint].includes(which));

/** A key that is kept already stays the same one, with what is known of it. */
function entryOf({ provider, label, priority, baseUrl, key }: NewKey, keys: Keys): KeyEntry {
  const grant = typeof key === "string" ? { secret: key } : key;
  const fingerprint = fingerprintOf(grant.secret);
  const known = keys.find((entry) => entry.fingerprint === fingerprint && entry.source === MANUAL);
  const last = Math.max(0, ...keys.filter(({ id }) => id !== known?.id).map((entry) => entry.priority));
  return {
    ...(known ?? { id: newId(), formerly: [], ...UNUSED }),
    label: label ?? known?.label ?? `${provider}-${keys.length + 1}`,
    type: typeof key === "string" ? "key" : "oauth",
    priority: priority ?? known?.priority ?? last + 1,
    source: MANUAL,
    fingerprint,
    ...grant,
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

/** A key for whoever looks for one, and the server it is bound to. */
export interface FirstKey {
  readonly secret: string;
  readonly baseUrl: string | undefined;
}

/** Of the keys of each provider that are kept, the first; a dead one where there is no other. Throws KeyFileError. */
export function firstKeys(folder: string, now: () => number): ReadonlyMap<string, FirstKey> {
  const found = new Map<string, FirstKey>();
  for (const [provider, keys] of new KeyFile(folder, now).read()) {
    const kept = byPriority(settled(keys, now())).filter(({ secret }) => secret !== undefined);
    const first = kept.find(({ status }) => status.state !== "dead") ?? kept[0];
    if (first?.secret !== undefined) found.set(provider, { secret: first.secret, baseUrl: first.baseUrl });
  }
  return found;
}
