export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * How long the server asks to wait, in ms, or undefined when it does not say so in a form anybody can read
 * (hermes.md §26.12): `retry-after-ms`, `retry-after` as seconds or HTTP date, `retry_after` in the body, then the
 * `x-ratelimit-reset` family. `nowMs` is the wall clock.
 */
export function retryAfterMs(headers: Headers, body: unknown, nowMs: number): number | undefined {
  const ms = numberOf(headers["retry-after-ms"]);
  if (ms !== undefined) return Math.max(0, ms);
  return seconds(headers["retry-after"], nowMs) ?? seconds(bodyField(body), nowMs) ?? rateLimitReset(headers, nowMs);
}

function seconds(value: unknown, nowMs: number): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return Math.max(0, number * 1_000);
  if (typeof value !== "string" || !/^\s*(?:[A-Za-z]{3,9},? |\d{4}-\d\d-\d\d)/.test(value)) return undefined;
  const zoned = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)\s*$/i.test(value) ? value : `${value.trim()} GMT`;
  const at = Date.parse(zoned);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** The first number of a header that may have been sent twice ("120, 30"). */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const text = Array.isArray(value) ? String(value[0]) : value;
  if (typeof text !== "string") return undefined;
  const first = /^\s*([+-]?\d+(?:\.\d+)?)\s*(?:,|$)/.exec(text)?.[1];
  return first === undefined ? undefined : Number(first);
}

function bodyField(body: unknown): unknown {
  const outer = field(body, "retry_after");
  return outer ?? field(field(body, "error"), "retry_after");
}

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

function rateLimitReset(headers: Headers, nowMs: number): number | undefined {
  const waits = ["", "-requests", "-tokens"].map((kind) => {
    if (kind !== "" && headers[`x-ratelimit-remaining${kind}`] !== "0") return undefined;
    return resetMs(headers[`x-ratelimit-reset${kind}`], nowMs);
  });
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Seconds to wait, an instant in s or ms since the epoch, or a duration such as `6m0s` or `20ms`. */
function resetMs(value: unknown, nowMs: number): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) {
    if (number > 1e12) return Math.max(0, number - nowMs);
    return Math.max(0, number > 1e9 ? number * 1_000 - nowMs : number * 1_000);
  }
  if (typeof value !== "string" || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(value)) return undefined;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) total += Number(amount) * unitMs(unit);
  return total;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const unitMs = (unit: string | undefined): number => UNITS[unit ?? "s"] ?? 1_000;
