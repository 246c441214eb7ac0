import { createHash, randomBytes } from "node:crypto";
import { isObject, type JsonObject } from "../protocol/json.ts";
import { type BorrowedKey, type KeyStatus, type KnownKey, MANUAL } from "../protocol/keys.ts";

/** What became of a key. */
interface KeyUse {
  readonly status: KeyStatus;
  /** How often it was chosen, and when last, in the order of choices. */
  readonly uses: number;
  readonly lastUse: number;
}

/** One key of a provider (hermes.md §11). */
export interface KeyEntry extends KeyUse {
  /** Six hex digits. */
  readonly id: string;
  readonly label: string;
  readonly type: "key" | "oauth";
  /** The lowest comes first. */
  readonly priority: number;
  /** `MANUAL`, or where the secret is borrowed from: then the file never holds it. */
  readonly source: string;
  /** Absent: borrowed, and not here in this process. */
  readonly secret?: string;
  readonly fingerprint: string;
  /** Fingerprints it had before it was renewed, the newest last: whoever sent one of them meant this key. */
  readonly formerly: readonly string[];
  readonly refreshToken?: string;
  /** Wall clock, ms. */
  readonly expiresMs?: number;
  /** Where it is renewed, and as whom. */
  readonly tokenUrl?: string;
  readonly clientId?: string;
  /** What an authority gave this program to say who it is, where it gave something. */
  readonly clientSecret?: string;
  /** The one server that it is for. */
  readonly baseUrl?: string;
}

/** The keys of one provider. */
export type Keys = readonly KeyEntry[];

export const fingerprintOf = (secret: string): string => createHash("sha256").update(secret).digest("hex").slice(0, 8);

const ID_DIGITS = 6;

export const newId = (): string => randomBytes(ID_DIGITS / 2).toString("hex");

export const OK: KeyStatus = { state: "ok" };

const borrowed = ({ secret, source }: BorrowedKey, priority: number): KeyEntry => {
  const fingerprint = fingerprintOf(secret);
  const id = fingerprint.slice(0, ID_DIGITS);
  return { id, label: source, type: "key", priority, source, secret, fingerprint, formerly: [], ...UNUSED };
};

export const UNUSED: KeyUse = { status: OK, uses: 0, lastUse: 0 };

/** The entry that a request with this fingerprint was sent with. */
export const whoseKey = (keys: Keys, fingerprint: string): KeyEntry | undefined =>
  keys.find((entry) => entry.fingerprint === fingerprint) ??
  keys.find(({ formerly }) => formerly.includes(fingerprint));

/**
 * What is kept, with the secrets that are borrowed here, in their order. A secret that was typed in as well is that
 * entry; what is kept of one that is not here stays, for another process may have it.
 */
export function withBorrowed(kept: Keys, here: readonly BorrowedKey[]): Keys {
  const found = new Map<string, KeyEntry>();
  here.forEach((key, at) => {
    const fresh = borrowed(key, at);
    const known = whoseKey(kept, fresh.fingerprint);
    const entry = known === undefined ? fresh : { ...known, ...(known.source !== MANUAL && fresh), ...useOf(known) };
    if (!found.has(entry.fingerprint)) found.set(entry.fingerprint, entry);
  });
  return [...found.values(), ...kept.filter(({ fingerprint }) => !found.has(fingerprint))];
}

const useOf = ({ status, uses, lastUse }: KeyEntry): KeyUse => ({ status, uses, lastUse });

/** As the file holds it: no secret that lies elsewhere, and nothing of which nothing is known. */
export const toKeep = (keys: Keys): readonly Omit<KeyEntry, "secret">[] =>
  keys.flatMap((entry) => {
    if (entry.source === MANUAL) return [entry];
    const { secret: _elsewhere, ...rest } = entry;
    return entry.status.state === "ok" && entry.uses === 0 ? [] : [rest];
  });

/** Processes of one machine see the same clock; what was seen later than now was seen by a clock that was wrong, ms. */
const CLOCK_SKEW_MS = 60_000;

/** What is exhausted is well again when its time has passed. */
export const isBlocked = ({ status }: KeyEntry, nowMs: number): boolean =>
  status.state === "dead" || (status.state === "exhausted" && isStill(status, nowMs));

/** Whether what was said of a key that is used up holds now. */
export const isStill = (
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
  nowMs: number,
): boolean => untilMs > nowMs && sinceMs <= nowMs + CLOCK_SKEW_MS;

const isOver = ({ expiresMs, refreshToken }: KeyEntry, nowMs: number): boolean =>
  expiresMs !== undefined && expiresMs <= nowMs && refreshToken === undefined;

export const isUsable = (entry: KeyEntry, nowMs: number): boolean =>
  entry.secret !== undefined && !isBlocked(entry, nowMs) && !isOver(entry, nowMs);

export const isRefreshable = ({ refreshToken, tokenUrl, clientId, status }: KeyEntry): boolean =>
  refreshToken !== undefined && tokenUrl !== undefined && clientId !== undefined && status.state !== "dead";

export const byPriority = (keys: Keys): Keys => keys.toSorted((a, b) => a.priority - b.priority);

export const knownKey = (provider: string, entry: KeyEntry): KnownKey => {
  const { id, label, type, source, priority, fingerprint, status } = entry;
  const { baseUrl = null, expiresMs = null } = entry;
  const refreshable = isRefreshable(entry);
  return { provider, id, label, type, source, priority, fingerprint, baseUrl, expiresMs, refreshable, status };
};

/** The last instant that there is, ms since the epoch: what is later is no time. */
const LAST_MS = 8.64e15;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

const instant = (value: unknown): number | undefined => {
  const ms = number(value);
  return ms === undefined || Math.abs(ms) > LAST_MS ? undefined : ms;
};

/** Out of a file; undefined when it is none. */
export function readEntry(value: unknown): KeyEntry | undefined {
  if (!isObject(value)) return undefined;
  const [id, source, secret] = [text(value["id"]), text(value["source"]), text(value["secret"])];
  const fingerprint = secret === undefined ? text(value["fingerprint"]) : fingerprintOf(secret);
  if (id === undefined || source === undefined || fingerprint === undefined) return undefined;
  const own = { id, source, fingerprint, ...(secret !== undefined && { secret }) };
  return { ...own, label: text(value["label"]) ?? source, ...readCounts(value), ...readGrant(value) };
}

const readCounts = (value: JsonObject): KeyUse & Pick<KeyEntry, "type" | "priority" | "formerly"> => ({
  type: value["type"] === "oauth" ? "oauth" : "key",
  priority: number(value["priority"]) ?? 0,
  formerly: Array.isArray(value["formerly"]) ? value["formerly"].filter((it) => typeof it === "string") : [],
  status: readStatus(value["status"]),
  uses: number(value["uses"]) ?? 0,
  lastUse: number(value["lastUse"]) ?? 0,
});

function readGrant(value: JsonObject): Partial<KeyEntry> {
  const texts = ["refreshToken", "tokenUrl", "clientId", "clientSecret", "baseUrl"].flatMap((name) => {
    const found = text(value[name]);
    return found === undefined ? [] : [[name, found] as const];
  });
  const expiresMs = instant(value["expiresMs"]);
  return { ...Object.fromEntries(texts), ...(expiresMs !== undefined && { expiresMs }) };
}

function readStatus(value: unknown): KeyStatus {
  if (!isObject(value)) return OK;
  const [sinceMs, untilMs] = [instant(value["sinceMs"]) ?? 0, instant(value["untilMs"])];
  const told = { sinceMs, reason: text(value["reason"]) ?? "unknown", message: text(value["message"]) ?? "" };
  if (value["state"] === "dead") return { state: "dead", ...told } as KeyStatus;
  if (value["state"] === "exhausted" && untilMs !== undefined)
    return { state: "exhausted", untilMs, ...told } as KeyStatus;
  return OK;
}
