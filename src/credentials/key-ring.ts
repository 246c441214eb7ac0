import { withoutSlash } from "../protocol/base-url.ts";
import type { Failure, KeysLeft } from "../protocol/failure.ts";
import type { BorrowedKey, Key, KeyHold, KeyRing, KeyStrategy } from "../protocol/keys.ts";
import type { KeySent } from "../protocol/ports.ts";
import { choose, chosen, soonest } from "./choose.ts";
import { blamed, cleared } from "./cool-down.ts";
import {
  byPriority,
  isBlocked,
  isRefreshable,
  isUsable,
  type KeyEntry,
  type Keys,
  whoseKey,
  withBorrowed,
} from "./entry.ts";
import { KeyFile, type KeyShelf, memoryShelf } from "./key-file.ts";
import { renew } from "./refresh.ts";

export interface KeyRingOptions {
  readonly provider: string;
  readonly baseUrl: string;
  /** The secrets that lie elsewhere, in their order. */
  readonly here: readonly BorrowedKey[];
  /** Of credentials.json; absent: what is learnt ends with this process. */
  readonly folder?: string | undefined;
  readonly strategy?: KeyStrategy | undefined;
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly random: () => number;
}

/** A key that runs out so soon is renewed before it is sent, ms (hermes.md §11.2). */
const SOON_MS = 120_000;

/** The keys of a provider; undefined where there is one, and nothing to renew it with: it needs no choosing. */
export function openKeyRing(options: KeyRingOptions): KeyRing | undefined {
  const { provider, folder, now } = options;
  const shelf = folder === undefined ? memoryShelf() : new KeyFile(folder, now).shelf(provider);
  const ring = new Ring(shelf, options);
  const [first, ...others] = ring.keys;
  if (first === undefined || (others.length === 0 && !isRefreshable(first))) return undefined;
  ring.taken(first);
  return ring;
}

class Ring implements KeyRing {
  readonly options: KeyRingOptions;
  readonly #shelf: KeyShelf;
  /** By id. */
  readonly #leases = new Map<string, number>();
  #seen: Keys | undefined;
  #keys: Keys = [];
  #secrets: readonly string[] = [];
  #counted: Promise<unknown> = Promise.resolve();
  #last: Key | undefined;

  constructor(shelf: KeyShelf, options: KeyRingOptions) {
    this.options = options;
    this.#shelf = shelf;
  }

  /** Those that can be sent to this server from here, as they are now. */
  get keys(): Keys {
    const kept = this.#shelf.read();
    if (kept === this.#seen) return this.#keys;
    this.#seen = kept;
    this.#keys = this.#within(kept).filter((entry) => this.#isOurs(entry));
    const held = this.#keys.flatMap(({ secret, refreshToken }) => [secret, refreshToken]);
    const secrets = held.filter((secret) => secret !== undefined);
    if (secrets.some((secret) => !this.#secrets.includes(secret)))
      this.#secrets = [...new Set([...this.#secrets, ...secrets])];
    return this.#keys;
  }

  get secrets(): readonly string[] {
    return this.keys.length === 0 ? [] : this.#secrets;
  }

  hold(): KeyHold {
    return new Hold(this);
  }

  async ready(): Promise<void> {
    const soon = this.options.now() + SOON_MS;
    const next = byPriority(this.keys).find((entry) => isUsable(entry, this.options.now()));
    if (next?.expiresMs !== undefined && next.expiresMs < soon && isRefreshable(next))
      await this.renew(next.fingerprint);
  }

  async close(): Promise<void> {
    await this.#counted;
  }

  choose(except?: string): KeyEntry | undefined {
    const { strategy = "fill_first", now, random } = this.options;
    const leases = ({ id }: KeyEntry): number => this.#leases.get(id) ?? 0;
    const keys = this.keys.filter(({ fingerprint }) => fingerprint !== except);
    const entry = choose(keys, { strategy, leases, nowMs: now(), random });
    if (entry !== undefined && strategy !== "fill_first" && strategy !== "random") this.#count(entry.fingerprint);
    return entry;
  }

  /** The key of an entry; where somebody has removed all of them meanwhile, the one that was taken last. */
  taken(entry: KeyEntry | undefined): Key {
    const { secret, fingerprint } = entry ?? {};
    if (secret !== undefined && fingerprint !== undefined) this.#last = { secret, fingerprint };
    if (this.#last === undefined) throw new Error("a ring of keys has none");
    return this.#last;
  }

  change(change: (keys: Keys) => Keys): Promise<Keys> {
    return this.#shelf.change((kept) => change(this.#within(kept)));
  }

  renew(fingerprint: string): Promise<KeyEntry | undefined> {
    return renew(this.#shelf, fingerprint, this.options.now);
  }

  lease({ id }: KeyEntry): () => void {
    this.#leases.set(id, (this.#leases.get(id) ?? 0) + 1);
    return () => this.#leases.set(id, (this.#leases.get(id) ?? 1) - 1);
  }

  /** It answered although it was thought to be used up. */
  async clear(fingerprint: string): Promise<void> {
    await this.change((keys) => cleared(keys, fingerprint));
  }

  #count(fingerprint: string): void {
    const counting = this.change((keys) => chosen(keys, fingerprint));
    this.#counted = Promise.all([this.#counted, counting]);
  }

  #within(kept: Keys): Keys {
    return withBorrowed(kept, this.options.here);
  }

  #isOurs({ secret, baseUrl }: KeyEntry): boolean {
    if (secret === undefined) return false;
    return baseUrl === undefined || withoutSlash(baseUrl) === withoutSlash(this.options.baseUrl);
  }
}

class Hold implements KeyHold {
  readonly #ring: Ring;
  #id: string | undefined;
  /** The one that was given up first; it is gone back to when it can be used again. */
  #preferred: string | undefined;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  take(): Key {
    const entry =
      this.#again(this.#preferred) ?? this.#again(this.#id) ?? this.#ring.choose() ?? soonest(this.#ring.keys);
    if (entry !== undefined) this.#keep(entry);
    return this.#ring.taken(entry);
  }

  lease({ fingerprint }: Key): (ended: { readonly failed: boolean }) => void {
    const entry = whoseKey(this.#ring.keys, fingerprint);
    if (entry === undefined) return () => undefined;
    const release = this.#ring.lease(entry);
    return ({ failed }) => {
      release();
      if (!failed && entry.status.state === "exhausted") this.#ring.clear(fingerprint).catch(() => undefined);
    };
  }

  look({ key }: KeySent): KeysLeft {
    const { keys } = this.#ring;
    const nowMs = this.#ring.options.now();
    const mine = whoseKey(keys, key);
    const usable = keys.filter((entry) => entry !== mine && isUsable(entry, nowMs)).length;
    const spent = mine !== undefined && isBlocked(mine, nowMs);
    const refreshable = mine !== undefined && isRefreshable(mine);
    return { size: keys.length, usable, refreshable, ...(spent && { spent: true as const }) };
  }

  async rotate({ key }: KeySent, failure: Failure): Promise<string | undefined> {
    const nowMs = this.#ring.options.now();
    const mine = whoseKey(this.#ring.keys, key);
    await this.#ring.change((keys) => blamed(keys, key, { failure, nowMs }));
    const next = this.#ring.choose(key);
    if (next === undefined) return undefined;
    this.#preferred ??= mine?.id;
    this.#keep(next);
    return next.fingerprint;
  }

  async refresh({ key }: KeySent): Promise<string | undefined> {
    const entry = await this.#ring.renew(key);
    if (entry !== undefined) this.#keep(entry);
    return entry?.fingerprint;
  }

  #keep({ id }: KeyEntry): void {
    this.#id = id;
    if (id === this.#preferred) this.#preferred = undefined;
  }

  #again(id: string | undefined): KeyEntry | undefined {
    if (id === undefined) return undefined;
    const entry = this.#ring.keys.find((each) => each.id === id);
    return entry !== undefined && isUsable(entry, this.#ring.options.now()) ? entry : undefined;
  }
}
