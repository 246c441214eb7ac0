const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PARTS = /^(?:\d+(?:ms|[smhd]))+$/u;

/** The longest a timer can wait, ms: a little under 25 days. */
export const LONGEST_MS: number = 2 ** 31 - 1;

/** A time as people write it, `90s`, `5m`, `1h30m`, in ms; undefined when it is none, is nothing, or no timer keeps it. */
export function readDuration(text: string): number | undefined {
  if (!PARTS.test(text)) return undefined;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhd])/gu)) ms += Number(count) * (UNIT_MS[unit ?? ""] ?? 0);
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}
