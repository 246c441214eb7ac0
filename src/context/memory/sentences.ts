import type { Unread } from "../../protocol/prompt.ts";
import type { InBoth, Sentence } from "../../protocol/sentence.ts";
import { shownPath } from "../prompt/shown-path.ts";

const WHY: Readonly<Record<Unread, InBoth>> = {
  "not-a-file": { en: "is no file", zh: "不是文件" },
  "not-text": { en: "is no text in UTF-8", zh: "不是 UTF-8 文本" },
  "too-large": { en: "is far too large for notes", zh: "作为笔记太大了" },
  "no-permission": { en: "may not be read", zh: "没有读取权限" },
  "leads-out": { en: "is a link to what lies elsewhere", zh: "是指向别处的链接" },
  "leads-nowhere": { en: "is a link to what is not there", zh: "是指向不存在之物的链接" },
  unreadable: { en: "cannot be read", zh: "无法读取" },
};

const MEND = {
  en: "Mend it, or put an earlier state back: evander memory restore VERSION keeps what is there beside it.",
  zh: "请修好它，或恢复较早的状态：evander memory restore VERSION 会把现有内容另存一份。",
} as const;

/** A file that is no list of notes. */
export function unreadFile(path: string, because: Unread): Sentence {
  const { en, zh } = WHY[because];
  const shown = shownPath(path);
  return {
    en: `${shown} ${en}: no note of it is told, and nothing is written there. ${MEND.en}`,
    zh: `${shown} ${zh}：其中的笔记不会告诉模型，也不会写入。${MEND.zh}`,
  };
}

/** Whatever a disk or another process says. */
export const failedWrite = (path: string, reason: string): Sentence => ({
  en: `Nothing was changed in ${shownPath(path)}: ${reason}`,
  zh: `${shownPath(path)} 没有任何改动：${reason}`,
});

const SHOWN_CHARS = 60;

/** So much of a note that a person finds it. */
const beginning = (note: string): string => {
  const line = shownPath(note.replaceAll(/\s+/gu, " "));
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS).replace(/[\uD800-\uDBFF]$/u, "")}…` : line;
};

export const blockedNote = (name: string, note: string, threats: readonly string[]): Sentence => ({
  en: `A note of ${name} is not told to any model (${threats.join(", ")}): "${beginning(note)}"`,
  zh: `${name} 中有一条笔记不会告诉模型（${threats.join(", ")}）：“${beginning(note)}”`,
});

/** Without the note: whoever reads this need not see it. */
export const secretNote = (name: string, place: number): Sentence => ({
  en: `Note ${place} of ${name} holds what looks like a key or a password, and is told to models: take it out.`,
  zh: `${name} 的第 ${place} 条笔记像是含有密钥或密码，并且会告诉模型：请将其删除。`,
});

export const overfull = (
  name: string,
  { characters, limit, left }: { readonly characters: number; readonly limit: number; readonly left: number },
): Sentence => ({
  en: `${name} holds ${characters} characters and ${limit} fit: the last ${left} of its notes are told to no model.`,
  zh: `${name} 有 ${characters} 个字符，最多 ${limit} 个：最后 ${left} 条笔记不会告诉模型。`,
});

export const damagedProposals = (path: string): Sentence => ({
  en: `${shownPath(path)} holds what is no change that waits; whoever writes there next keeps a copy of it beside it.`,
  zh: `${shownPath(path)} 含有不是待审改动的内容；下一次写入会另存一份。`,
});

export const tooManyWait = (count: number): Sentence => ({
  en: `${count} changes wait for a person already, so no more is kept: evander memory review`,
  zh: `已有 ${count} 项改动等待审阅，不再保留更多：evander memory review`,
});

/** `reason` names the file. */
export const lostJournal = (reason: string): Sentence => ({
  en: `Who wrote which note is not known, and none can be written: ${reason}`,
  zh: `不知道每条笔记由谁写入，也无法写入新笔记：${reason}`,
});
