import type { JsonObject } from "./json.ts";
import { isKey } from "./keys.ts";

/** What an authority grants (RFC 6749 §5.1). */
export interface Tokens {
  readonly secret: string;
  /** Absent: the one that was shown goes on to hold. */
  readonly refreshToken?: string;
  /** Absent: nothing is known of its end. */
  readonly lifetimeMs?: number;
}

/** What is said to last longer is kept as if nothing were said of it, seconds. */
const LONGEST_LIFE_S = 1e12;

/** Undefined: there is no key in the answer that a header can carry. */
export function tokensIn(answer: JsonObject): Tokens | undefined {
  const { access_token: secret, refresh_token: refreshToken, expires_in: seconds } = answer;
  if (!isSecret(secret)) return undefined;
  return {
    secret,
    ...(isSecret(refreshToken) && { refreshToken }),
    ...(isLifetime(seconds) && { lifetimeMs: Number(seconds) * 1_000 }),
  };
}

const isSecret = (value: unknown): value is string => typeof value === "string" && isKey(value);
const isLifetime = (value: unknown): boolean => Number(value) > 0 && Number(value) <= LONGEST_LIFE_S;
