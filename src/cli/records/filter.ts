import type { SessionSummary } from "../../protocol/store.ts";
import { badNumber, badTime } from "../../words/records.ts";
import { usageRefusal } from "../refusal.ts";

/** Which sessions are meant, as the command line said it. */
export interface FilterFlags {
  readonly since?: string;
  readonly until?: string;
  readonly title?: string;
  readonly unfinished?: boolean;
  readonly limit?: string;
  /** Those that this session has started child agents in. */
  readonly children?: string;
}

/** The sessions that are meant, in the order given. Throws RefusalError. */
export function filtered(sessions: readonly SessionSummary[], flags: FilterFlags, nowMs: number): SessionSummary[] {
  const { since, until, title, unfinished, limit } = flags;
  const from = since === undefined ? -Infinity : readTime("--since", since, nowMs);
  const to = until === undefined ? Infinity : readTime("--until", until, nowMs);
  const words = title?.toLowerCase() ?? "";
  const found = sessions.filter(
    (session) =>
      session.updatedMs >= from &&
      session.updatedMs < to &&
      session.title.toLowerCase().includes(words) &&
      (unfinished !== true || session.unfinished),
  );
  return limit === undefined ? found : found.slice(0, readCount("--limit", limit));
}

export function readCount(flag: string, text: string): number {
  const count = Number(text);
  if (/^\d{1,15}$/u.test(text) && count > 0) return count;
  throw usageRefusal(badNumber(flag, text));
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time ago, or a date, in ms since the epoch. */
export function readTime(flag: string, text: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (UNIT_MS[unit ?? ""] ?? 0);
  const date = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return date;
  throw usageRefusal(badTime(flag, text));
}
