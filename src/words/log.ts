import type { Text } from "./language.ts";

/** What is said about the log. */
export const LOG_WORDS: Readonly<Record<"empty" | "follows", Text>> = {
  empty: { en: "There is nothing in the log yet.", zh: "日志中还没有内容。" },
  follows: { en: "Waiting for new lines; Ctrl-C leaves.", zh: "等待新的日志行；按 Ctrl-C 离开。" },
};

export const noLog = (why: string): Text => ({
  en: `The log cannot be written (${why}); everything else goes on without it.`,
  zh: `无法写入日志（${why}）；其余一切照常。`,
});

export const noLines = (of: string): Text => ({
  en: `The log holds nothing like that (${of}); without options it shows the newest lines.`,
  zh: `日志中没有符合条件的内容（${of}）；不带选项时显示最新的行。`,
});

export const unreadableLog = (folder: string, why: string): Text => ({
  en: `The log in ${folder} cannot be read (${why}): evander doctor looks at the folder.`,
  zh: `无法读取 ${folder} 中的日志（${why}）：evander doctor 会检查该文件夹。`,
});
