import { plural } from "../protocol/plural.ts";
import type { Text } from "./language.ts";

/** What is said about sessions that were kept. */
export const RECORD_WORDS: Readonly<
  Record<
    | "noSession"
    | "blankSession"
    | "noTurn"
    | "blankTurn"
    | "blankQuery"
    | "rawAndPicture"
    | "followPicture"
    | "noTurnLikeThat"
    | "blankTitle"
    | "pruneWhat"
    | "nothingToPrune"
    | "aborted"
    | "exportOne"
    | "exportWhat",
    Text
  >
> = {
  noSession: { en: "There is no session yet.", zh: "还没有会话。" },
  blankSession: {
    en: "The name of the session is empty: write its id, its title, or last.",
    zh: "会话名称是空的：请写出它的 id、标题或 last。",
  },
  noTurn: { en: "There is no turn yet.", zh: "还没有任何一轮。" },
  blankTurn: { en: "The id of the turn is empty: write it, or last.", zh: "轮次 id 是空的：请写出 id 或 last。" },
  blankQuery: { en: "Say what to look for.", zh: "请写出要查找的内容。" },
  rawAndPicture: {
    en: "--raw, --picture and --svg exclude each other: leave all but one of them out.",
    zh: "--raw、--picture 与 --svg 互斥：只保留其中一个。",
  },
  followPicture: {
    en: "--follow goes with --picture: evander turn show --picture --follow.",
    zh: "--follow 与 --picture 一起使用：evander turn show --picture --follow。",
  },
  noTurnLikeThat: { en: "No turn is like that.", zh: "没有符合条件的轮次。" },
  blankTitle: { en: "The title shows nothing: give it a visible character.", zh: "标题没有可见字符：请至少写一个。" },
  pruneWhat: {
    en: "Say which sessions may go: --older-than 30d, or --keep 100 for all but the newest, or both.",
    zh: "请说明可以删除哪些会话：--older-than 30d，或 --keep 100（只留最新的），或两者都用。",
  },
  nothingToPrune: { en: "Nothing is old enough to go.", zh: "没有需要清理的会话。" },
  aborted: { en: "Nothing was removed.", zh: "没有删除任何内容。" },
  exportOne: {
    en: "Only jsonl holds several sessions: name one session for this format.",
    zh: "只有 jsonl 能容纳多个会话：此格式请只指定一个会话。",
  },
  exportWhat: { en: "Name the sessions to export, or --all.", zh: "请指定要导出的会话，或用 --all。" },
};

export const noSuchSession = (asked: string): Text => ({
  en: `There is no session ${asked}.`,
  zh: `没有会话 ${asked}。`,
});

export const severalSessions = (asked: string, ids: readonly string[]): Text => ({
  en: `${asked} could be ${ids.join(", ")}: write more of the id that is meant.`,
  zh: `${asked} 可能是 ${ids.join("、")}：请写出更完整的 id。`,
});

export const noneLikeThat = (count: number): Text => ({
  en: `None of the ${count} sessions is like that.`,
  zh: `${count} 个会话中没有符合条件的。`,
});

export const nothingSaid = (query: string): Text => ({
  en: `Nothing was said that fits ${query} — try fewer words, the beginning of one with a * behind it, or OR between them.`,
  zh: `没有找到包含“${query}”的内容。可以减少词语、在词的开头后加 *，或在词之间写 OR。`,
});

export const morePlaces = (count: number): Text => ({
  en: `and in ${plural(count, "more place")}`,
  zh: `另有 ${count} 处`,
});

export const goOn = (command: string): Text => ({
  en: `Go on with one of them: ${command}`,
  zh: `继续其中一个会话：${command}`,
});

export const noSuchTurn = (asked: string): Text => ({ en: `There is no turn ${asked}.`, zh: `没有这一轮：${asked}。` });

export const severalTurns = (asked: string, ids: readonly string[]): Text => ({
  en: `${asked} could be ${ids.join(", ")}: write more of the id that is meant.`,
  zh: `${asked} 可能是 ${ids.join("、")}：请写出更完整的 id。`,
});

export const fileIsThere = (file: string): Text => ({
  en: `${file} is there already, and was left as it is: name another file.`,
  zh: `${file} 已存在，没有改动：请换一个文件名。`,
});

export const fileNotWritten = (file: string, why: Text): Text => ({
  en: `${file} cannot be written (${why.en}): name a file in a folder of yours.`,
  zh: `无法写入 ${file}（${why.zh}）：请指定你自己文件夹中的文件。`,
});

export const pictureWritten = (file: string): Text => ({
  en: `The picture is in ${file}.`,
  zh: `图已写入 ${file}。`,
});

export const titleTooLong = (characters: number, most: number): Text => ({
  en: `The title has ${characters} characters, and ${most} are the most: shorten it.`,
  zh: `标题有 ${characters} 个字符，上限是 ${most}：请缩短。`,
});

export const copiesHold = (copies: readonly string[]): Text => ({
  en: `What is removed stays in copies of the whole store that were kept earlier: ${copies.join(", ")}. Delete them yourself when you need them no more, and backups of your own.`,
  zh: `此前保留的整个存储的副本中仍有被删除的内容：${copies.join("、")}。不再需要时请自行删除它们以及您自己的备份。`,
});

export const askRemoval = (count: number): Text => ({
  en: `Remove ${count === 1 ? "this session" : `these ${count} sessions`} for good?`,
  zh: `永久删除${count === 1 ? "这个会话" : `这 ${count} 个会话`}？`,
});

export const nobodyToAsk = (count: number): Text => ({
  en: `${plural(count, "session")} would be removed for good, and nobody can be asked here: add --yes to do it, or --dry-run to see which.`,
  zh: `将永久删除 ${count} 个会话，而这里无人可问：加 --yes 执行，或加 --dry-run 查看。`,
});

export const sessionTaken = (sessionId: string): Text => ({
  en: `There is a session ${sessionId} here already, and nothing was imported: add --new to take it in under a new id.`,
  zh: `这里已有会话 ${sessionId}，没有导入任何内容：加 --new 以新 id 导入。`,
});

export const brokenFile = (name: string, line: number, why: Text): Text => ({
  en: `${name} cannot be imported: line ${line}: ${why.en}. Nothing was changed.`,
  zh: `无法导入 ${name}：第 ${line} 行：${why.zh}。没有改动任何内容。`,
});

export const unreadable = (name: string, why: Text): Text => ({
  en: `${name} cannot be read (${why.en}): name a file that is there, or - for stdin.`,
  zh: `无法读取 ${name}（${why.zh}）：请指定存在的文件，或用 - 表示 stdin。`,
});

export const badNumber = (flag: string, found: string): Text => ({
  en: `${flag} takes a whole number above zero; it is ${JSON.stringify(found)}.`,
  zh: `${flag} 需要大于零的整数；现在是 ${JSON.stringify(found)}。`,
});

export const badTime = (flag: string, found: string): Text => ({
  en: `${flag} takes a time ago, such as 12h, 7d or 8w, or a date, such as 2026-01-31; it is ${JSON.stringify(found)}.`,
  zh: `${flag} 需要一段时间（如 12h、7d、8w）或日期（如 2026-01-31）；现在是 ${JSON.stringify(found)}。`,
});
