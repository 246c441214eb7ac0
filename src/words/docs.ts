import type { Text } from "./language.ts";

export const DOCS_WORDS: Readonly<Record<"exitCodes", Text>> = {
  exitCodes: { en: "Exit codes", zh: "退出码" },
};

export const printsOne = (command: string): Text => ({
  en: `${command} prints one of them.`,
  zh: `${command} 打印其中一篇。`,
});

export const noSuchTopic = (asked: string, meant: string | undefined): Text => ({
  en: `There is no guide ${JSON.stringify(asked)}${meant === undefined ? "" : `; perhaps ${meant} was meant`}: evander docs lists them.`,
  zh: `没有指南 ${JSON.stringify(asked)}${meant === undefined ? "" : `；也许是 ${meant}`}：evander docs 会列出全部。`,
});

export const docsMissing = (folder: string): Text => ({
  en: `The guides are not where they belong (${folder}): install Evander again.`,
  zh: `指南不在应有的位置（${folder}）：请重新安装 Evander。`,
});
