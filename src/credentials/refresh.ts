import type { FailureReason } from "../protocol/failure.ts";
import { askForToken, type TokenAnswer } from "./authority.ts";
import { fingerprintOf, isRefreshable, type KeyEntry, type Keys, OK, whoseKey } from "./entry.ts";
import type { KeyShelf } from "./key-file.ts";

/** Words of an authority behind which a grant never comes back (hermes.md §11.2). */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_token",
  "token_revoked",
  "token_invalidated",
  "unauthorized_client",
  "refresh_token_reused",
]);

/** Fingerprints that are remembered of a key. */
const REMEMBERED = 8;

/**
 * Renews the key that a request was sent with, once for all processes: whoever waited for another one's renewal takes
 * what came of it. Undefined: it could not be renewed. Never rejects.
 */
export async function renew(shelf: KeyShelf, fingerprint: string, now: () => number): Promise<KeyEntry | undefined> {
  const seen = whoseKey(shelf.read(), fingerprint);
  if (seen === undefined) return undefined;
  try {
    return await shelf.alone(seen.id, async () => {
      const entry = whoseKey(shelf.read(), fingerprint);
      if (entry === undefined || !isRefreshable(entry)) return undefined;
      if (entry.fingerprint !== fingerprint) return entry;
      return renewed(shelf, entry, now);
    });
  } catch {
    return undefined;
  }
}

async function renewed(shelf: KeyShelf, entry: KeyEntry, now: () => number): Promise<KeyEntry | undefined> {
  const { refreshToken = "", tokenUrl = "", clientId = "" } = entry;
  const form = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: clientId };
  const answer = await askForToken(tokenUrl, form);
  if (answer.type === "failed" || (answer.type === "refused" && !FINAL.has(answer.code))) return undefined;
  const keys = await shelf.change((keys) => settle(keys, { entry, answer, nowMs: now() }));
  const after = keys.find(({ id }) => id === entry.id);
  return after === undefined || after.fingerprint === entry.fingerprint ? undefined : after;
}

interface Settled {
  readonly entry: KeyEntry;
  readonly answer: Exclude<TokenAnswer, { type: "failed" }>;
  readonly nowMs: number;
}

/** Only what was shown to the authority is judged by its answer: who logged in meanwhile keeps the new grant. */
const settle = (keys: Keys, { entry, answer, nowMs }: Settled): Keys =>
  keys.map((each) => {
    if (each.id !== entry.id || each.refreshToken !== entry.refreshToken) return each;
    if (answer.type === "granted") return withGrant(each, answer, nowMs);
    const reason: FailureReason = "auth";
    return { ...each, status: { state: "dead", sinceMs: nowMs, reason, message: answer.code } };
  });

function withGrant(entry: KeyEntry, granted: Extract<TokenAnswer, { type: "granted" }>, nowMs: number): KeyEntry {
  const { secret, refreshToken = entry.refreshToken, lifetimeMs } = granted;
  const { expiresMs: _old, ...rest } = entry;
  return {
    ...rest,
    secret,
    fingerprint: fingerprintOf(secret),
    formerly: [...entry.formerly, entry.fingerprint].slice(-REMEMBERED),
    status: OK,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(lifetimeMs !== undefined && { expiresMs: nowMs + lifetimeMs }),
  };
}
