import { durationMs, LONGEST_WAIT } from "./wait-in-words.ts";

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * How long the server asks to wait, in ms, or undefined when it does not say so in a form anybody can read
 * (hermes.md §26.11, §26.12): `retry-after-ms`, a field of the body, `retry-after` as seconds or HTTP date, then the
 * `x-ratelimit-reset` family. `nowMs` is the wall clock.
 */
export function retryAfterMs(headers: Headers, body: unknown, nowMs: number): number | undefined {
  const ms = sane(numberOf(headers["retry-after-ms"]));
  if (ms !== undefined && ms > 0) return ms;
  return bodyWait(body, nowMs) ?? delayMs(headers["retry-after"], nowMs) ?? rateLimitReset(headers, nowMs);
}

/** A wait that anybody would name. */
const sane = (ms: number | undefined): number | undefined =>
  ms === undefined || ms > LONGEST_WAIT ? undefined : Math.max(0, ms);

/** Seconds, or an HTTP or ISO date, as ms from now; zone-less dates are UTC. */
function delayMs(value: unknown, nowMs: number): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return sane(number * 1_000);
  if (
    typeof value !== "string" ||
    value.length > LONGEST_VALUE ||
    !/^\s*(?:[A-Za-z]{3,9},? |\d{1,2} [A-Za-z]{3} |\d{4}-\d\d-\d\d)/.test(value)
  )
    return undefined;
  const zoned = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)\s*$/i.test(value) ? value : `${value.trim()} GMT`;
  const at = Date.parse(zoned);
  return Number.isNaN(at) ? undefined : sane(at - nowMs);
}

/** The first number of a header that may have been sent twice ("120, 30"). */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const text: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof text !== "string" || text.length > LONGEST_VALUE) return undefined;
  const first = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)\s*(?:,|$)/i.exec(text)?.[1];
  const number = first === undefined ? NaN : Number(first);
  return Number.isFinite(number) ? number : undefined;
}

/** No time is longer, characters. */
const LONGEST_VALUE = 100;

/** A wait in seconds, or the instant when a limit ends. */
function bodyWait(body: unknown, nowMs: number): number | undefined {
  const error = field(body, "error");
  for (const place of [body, error]) {
    const wait = delayMs(field(place, "retry_after"), nowMs) ?? instantMs(resetField(place), nowMs);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

const resetField = (place: unknown): unknown => field(place, "resets_at") ?? field(place, "reset_at");

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** Larger numbers are ms since the epoch, and smaller ones seconds (hermes.md §11.2). */
const AS_MS = 1e12;

/** An instant as ms from now: seconds or ms since the epoch, or a date. */
function instantMs(value: unknown, nowMs: number): number | undefined {
  const number = numberOf(value);
  if (number === undefined) return delayMs(value, nowMs);
  return sane((number > AS_MS ? number : number * 1_000) - nowMs);
}

/** Headers that tell when a limit ends, each with that which tells what remains of it. */
const RESETS: readonly (readonly [reset: string, remaining: string | undefined])[] = [
  ["x-ratelimit-reset", undefined],
  ...["requests", "tokens", "requests-1h", "tokens-1h"].map(
    (kind) => [`x-ratelimit-reset-${kind}`, `x-ratelimit-remaining-${kind}`] as const,
  ),
  ...["requests", "tokens", "input-tokens", "output-tokens"].map(
    (kind) => [`anthropic-ratelimit-${kind}-reset`, `anthropic-ratelimit-${kind}-remaining`] as const,
  ),
];

/** The latest; of a kind only when nothing of it remains. */
function rateLimitReset(headers: Headers, nowMs: number): number | undefined {
  let latest: number | undefined;
  for (const [reset, remaining] of RESETS) {
    if (headers[reset] === undefined || (remaining !== undefined && headers[remaining] !== "0")) continue;
    const wait = resetMs(headers[reset], nowMs);
    if (wait !== undefined) latest = Math.max(latest ?? 0, wait);
  }
  return latest;
}

/** Seconds to wait, an instant in s or ms since the epoch or as a date, or a duration such as `6m0s` or `20ms`. */
function resetMs(value: unknown, nowMs: number): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return number > 1e9 ? instantMs(number, nowMs) : sane(number * 1_000);
  return typeof value === "string" ? (sane(durationMs(value)) ?? delayMs(value, nowMs)) : undefined;
}
