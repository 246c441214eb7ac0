import type { Language } from "./language.ts";

const UNITS = [
  { en: " d", zh: " 天", ms: 86_400_000 },
  { en: " h", zh: " 小时", ms: 3_600_000 },
  { en: " min", zh: " 分钟", ms: 60_000 },
] as const;
const SECOND: Readonly<Record<Language, string>> = { en: " s", zh: " 秒" };

/** A time in ms as people say it, with its two largest units: `2.5 s`, `45 s`, `5 min`, `1 h 20 min`, `2 d`. */
export function duration(ms: number, language: Language = "en"): string {
  if (ms < 10_000) return `${Number((ms / 1_000).toFixed(1))}${SECOND[language]}`;
  // Rounded first, so that the parts carry over.
  let rest = Math.round(ms / 1_000) * 1_000;
  const parts: string[] = [];
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.ms);
    if (count > 0) parts.push(`${count}${unit[language]}`);
    rest -= count * unit.ms;
  }
  if (rest > 0) parts.push(`${rest / 1_000}${SECOND[language]}`);
  return parts.slice(0, 2).join(" ");
}
