import type { Text } from "./language.ts";

/** What a review has written, each text one line. */
export interface ReviewSaid {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly dropped: readonly string[];
  /** Names. */
  readonly created: readonly string[];
  readonly improved: readonly string[];
}

/** So many are told word for word, each no longer than that. */
const MOST = 3;
const LONGEST = 100;

/** Undefined where there is nothing to tell. */
export function reviewLine(said: ReviewSaid): Text | undefined {
  const { added, changed, dropped, created, improved } = said;
  const parts = [
    listed({ en: "Noted", zh: "已记下" }, added),
    listed({ en: "Note corrected", zh: "已更正笔记" }, changed),
    listed({ en: "Note dropped", zh: "已删去笔记" }, dropped),
    listed({ en: "Skill written", zh: "已写下技能" }, created),
    listed({ en: "Skill improved", zh: "已改进技能" }, improved),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return { en: parts.map(({ en }) => en).join(" · "), zh: parts.map(({ zh }) => zh).join(" · ") };
}

function listed(what: Text, texts: readonly string[]): Text | undefined {
  if (texts.length === 0) return undefined;
  const shown = texts.slice(0, MOST).map(cut);
  const more = texts.length - shown.length;
  return {
    en: `${what.en}: ${shown.map((text) => `"${text}"`).join(", ")}${more === 0 ? "" : ` and ${more} more`}`,
    zh: `${what.zh}：${shown.map((text) => `“${text}”`).join("、")}${more === 0 ? "" : `，另有 ${more} 条`}`,
  };
}

const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed().trimEnd()}…`;

/** Said to whoever leaves and has to wait, `seconds` at most. */
export const lookingBack = (seconds: number): Text => ({
  en: `Looking back for what is worth noting; at most ${seconds} s, Ctrl-C skips it …`,
  zh: `正在回顾有什么值得记下；最多 ${seconds} 秒，Ctrl-C 跳过……`,
});

export const NOT_LOOKED_BACK: Text = { en: "Skipped.", zh: "已跳过。" };
