import { type NoteFile, type NoteRefusal, NOTE_LIMITS, type Written } from "../protocol/memory.ts";
import { plural } from "../protocol/plural.ts";
import { inBoth } from "../protocol/sentence.ts";
import type { Text } from "./language.ts";
import { shellWord, type Step } from "./steps.ts";

const step = (what: string, en: string, zh: string, command: string): Step => ({
  do: what,
  text: { en, zh },
  command,
});

/** What helps with notes. */
export const NOTE_STEPS: Readonly<Record<"list" | "versions", Step>> = {
  list: step("list", "See the notes, with their numbers.", "查看笔记及其编号。", "evander memory list"),
  versions: step("list", "See the versions there are.", "查看已有的版本。", "evander memory restore"),
};

/** Brings back a file as it was. */
export const restoreStep = (version: number): Step =>
  step("restore", "To bring it back.", "如需恢复。", `evander memory restore ${version}`);

export const explainStep = (turnId: string): Step =>
  step(
    "explain",
    "See what happened in that turn.",
    "查看那一轮发生了什么。",
    `evander turn explain ${shellWord(turnId)}`,
  );

/** How the files are called on disk. */
export const FILE_NAMES: Readonly<Record<NoteFile, string>> = { memory: "MEMORY.md", user: "USER.md" };

type Says =
  | "none"
  | "noVersions"
  | "blank"
  | "handWritten"
  | "wasPerson"
  | "wasDream"
  | "sessionGone"
  | "unchanged"
  | "targetGone"
  | "nothingRestored"
  | "empty"
  | "wrongAnswer"
  | "draftEmpty"
  | "openAgain";

export const MEMORY_WORDS: Readonly<Record<Says, Text>> = {
  none: { en: "Nothing is remembered yet.", zh: "还没有记住任何内容。" },
  noVersions: { en: "Nothing has been written yet, so there is no version.", zh: "还没有写入过，因此没有版本。" },
  blank: {
    en: "Say which note: its number in the list, or words of it.",
    zh: "请说明是哪条笔记：列表中的编号，或其中的词。",
  },
  handWritten: { en: "somebody wrote it into the file by hand", zh: "有人手动写入了文件" },
  wasPerson: { en: "by you", zh: "由你" },
  wasDream: { en: "a dream, which tidies all notes", zh: "整理全部笔记的“梦”" },
  sessionGone: { en: "(that session has been removed since)", zh: "（该会话后来已被删除）" },
  unchanged: { en: "Nothing was changed.", zh: "没有改动任何内容。" },
  targetGone: {
    en: "(the note it speaks of is not there any more)",
    zh: "（它所指的笔记已不存在）",
  },
  nothingRestored: { en: "Nothing was restored.", zh: "没有恢复任何内容。" },
  empty: { en: "(no notes)", zh: "（没有笔记）" },
  wrongAnswer: {
    en: "Write memory review yes ID… or memory review no ID…; memory review alone lists what waits.",
    zh: "请写 memory review yes ID… 或 memory review no ID…；只写 memory review 会列出等待的更改。",
  },
  draftEmpty: { en: "All notes of this file would be removed. Do it?", zh: "这个文件的所有笔记都会被删除。确定吗？" },
  openAgain: { en: "Open it again?", zh: "再次打开吗？" },
};

/** How full a file is. */
export function fileHead(file: NoteFile, notes: number, characters: number): Text {
  const limit = NOTE_LIMITS[file];
  const percent = Math.round((characters / limit) * 100);
  return {
    en: `${FILE_NAMES[file]}  ${plural(notes, "note")}, ${counted(characters)} of ${counted(limit)} characters (${percent} %)`,
    zh: `${FILE_NAMES[file]}  ${notes} 条笔记，${counted(characters)} / ${counted(limit)} 个字符（${percent} %）`,
  };
}

const counted = (number: number): string => number.toLocaleString("en-US");

/** Who wrote a note, in few words. */
export function writtenBy(written: Pick<Written, "by"> | undefined): Text {
  switch (written?.by) {
    case undefined:
      return { en: "by hand", zh: "手动" };
    case "turn":
      return { en: "in a turn", zh: "在一轮中" };
    case "review":
      return { en: "by a review", zh: "由回顾" };
    case "dream":
      return { en: "by a dream", zh: "由梦" };
    case "person":
      return { en: "by you", zh: "由你" };
  }
}

/** Where a note is known from, of a turn or its review. `title`: of the session. */
export function learntIn(by: "turn" | "review", turnId: string, session: { sessionId: string; title: string }): Text {
  const { sessionId, title } = session;
  const called = title === "" ? sessionId : `“${title}” (${sessionId})`;
  return by === "turn"
    ? { en: `turn ${turnId} of session ${called}`, zh: `会话 ${called} 的第 ${turnId} 轮` }
    : { en: `review of turn ${turnId} of session ${called}`, zh: `对会话 ${called} 第 ${turnId} 轮的回顾` };
}

export const begunBy = (message: string): Text => ({
  en: `it began with: ${message}`,
  zh: `它始于：${message}`,
});

/** `waits`: nothing is written of it as yet. */
export const onDay = (when: string, waits: boolean): Text =>
  waits ? { en: `asked for ${when}`, zh: `提出于 ${when}` } : { en: `written ${when}`, zh: `写于 ${when}` };

/** A change that waits, before what it would change. */
export const proposalHead = (id: string, file: NoteFile, tainted: string): Text => ({
  en: `${id}  ${FILE_NAMES[file]}, asked for after ${tainted} had brought others' words`,
  zh: `${id}  ${FILE_NAMES[file]}，在 ${tainted} 带来他人的话之后提出`,
});

export const noSuchNote = (asked: string): Text => ({
  en: `There is no note ${asked}.`,
  zh: `没有笔记 ${asked}。`,
});

export const severalNotes = (asked: string, numbers: readonly number[]): Text => ({
  en: `${asked} could be notes ${numbers.join(", ")}: write the number, or more words.`,
  zh: `${asked} 可能是笔记 ${numbers.join("、")}：请写编号，或更多的词。`,
});

export const noSuchVersion = (asked: string): Text => ({
  en: `There is no version ${asked}.`,
  zh: `没有版本 ${asked}。`,
});

export const olderVersions = (count: number): Text => ({
  en: `${plural(count, "older version")}: --json lists all.`,
  zh: `还有 ${count} 个更早的版本：--json 列出全部。`,
});

export const askRestore = (file: NoteFile, version: number): Text => ({
  en: `Make ${FILE_NAMES[file]} what it was in version ${version}?`,
  zh: `把 ${FILE_NAMES[file]} 恢复为版本 ${version} 的内容吗？`,
});

export const restored = (file: NoteFile, version: number, dry: boolean): Text => ({
  en: `${FILE_NAMES[file]} ${dry ? "would be" : "is"} as it was in version ${version}`,
  zh: `${FILE_NAMES[file]} ${dry ? "将会" : "已"}恢复为版本 ${version} 的内容`,
});

export const forgotten = (dry: boolean): Text =>
  dry ? { en: "would be forgotten", zh: "将会忘记" } : { en: "forgotten", zh: "已忘记" };

export const written = (file: NoteFile): Text => ({
  en: `${FILE_NAMES[file]} is written.`,
  zh: `${FILE_NAMES[file]} 已写入。`,
});

export const noteEditorNeeds = (path: string): Text => ({
  en: `An editor needs a terminal, and this is none: notes can be written into ${path} by hand, one between two lines that are "§".`,
  zh: `编辑器需要终端，而这里不是终端：可以手动把笔记写入 ${path}，每条在两行“§”之间。`,
});

export const editHint = (file: NoteFile): Text => ({
  en: `One note between two lines that are "§"; together at most ${counted(NOTE_LIMITS[file])} characters.`,
  zh: `每条笔记在两行“§”之间；合计最多 ${counted(NOTE_LIMITS[file])} 个字符。`,
});

/** `why`: what is in the way. */
export const draftKept = (why: Text, path: string): Text => ({
  en: `${why.en} Nothing was changed; what you wrote lies in ${path}.`,
  zh: `${why.zh}没有改动任何内容；你写的内容在 ${path}。`,
});

export const DRAFT_GONE: Text = {
  en: "The draft was removed in the editor, so nothing was changed.",
  zh: "草稿在编辑器中被删除，因此没有改动任何内容。",
};

export const draftUnusable = (why: Text): Text => ({
  en: `The draft cannot be used: ${why.en}.`,
  zh: `草稿无法使用：${why.zh}。`,
});

export const NO_TEXT: Text = { en: "it holds signs that no text has", zh: "其中有非文本的字符" };

export const OTHERS_CHANGED: Text = {
  en: "The notes had been changed while the editor was open; that was kept as well.",
  zh: "编辑器打开期间笔记有过变化；那些变化也已保留。",
};

/** Why nothing was changed, for people. */
export function noteRefusal(refusal: NoteRefusal): Text {
  switch (refusal.why) {
    case "blank":
      return { en: "A note needs words.", zh: "笔记需要内容。" };
    case "not-found":
      return { en: "No note holds that any more.", zh: "没有笔记包含这些内容了。" };
    case "ambiguous":
      return {
        en: `${plural(refusal.notes.length, "note")} hold that; more words are needed to tell them apart.`,
        zh: `有 ${refusal.notes.length} 条笔记包含这些内容；需要更多的词来区分。`,
      };
    case "no-room":
      return {
        en: `It would be ${counted(refusal.characters)} characters, and ${counted(refusal.limit)} are the most: shorten or forget a note.`,
        zh: `将有 ${counted(refusal.characters)} 个字符，上限是 ${counted(refusal.limit)}：请缩短或忘记一条笔记。`,
      };
    case "threat":
      return {
        en: `It reads like an attack on whoever reads it (${refusal.threats.join(", ")}): say it otherwise.`,
        zh: `它读起来像是对读者的攻击（${refusal.threats.join("、")}）：请换种说法。`,
      };
    case "secret":
      return {
        en: "It holds what looks like a key or a password, and notes are sent to models: leave it out.",
        zh: "其中有像密钥或密码的内容，而笔记会发送给模型：请去掉它。",
      };
    case "unreadable":
      return inBoth(refusal.sentence);
  }
}
