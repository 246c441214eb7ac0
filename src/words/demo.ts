import type { Text } from "./language.ts";

/** What the tour says before its turn, line by line. */
export const DEMO_OPENING: readonly Text[] = [
  {
    en: "A tour: one turn on a scratch copy of a tiny project. Nothing leaves this machine.",
    zh: "导览：在一个小项目的临时副本上运行一轮。没有任何内容离开本机。",
  },
  {
    en: "The practice model answers: a small rule-based program, no language model.",
    zh: "由练习模型回答：它是一个基于规则的小程序，不是语言模型。",
  },
  {
    en: "Its calls are allowed beforehand, since only the copy can change.",
    zh: "它的调用已预先允许，因为只有副本会改变。",
  },
  {
    en: "Its server refuses one request on purpose, so that a retry is seen.",
    zh: "它的服务器会故意拒绝一次请求，以便看到重试。",
  },
];

/** What the tour says behind its turn. */
export const DEMO_WORDS: Readonly<Record<"answered" | "exit" | "cost" | "picture" | "again", Text>> = {
  answered: { en: "The model has answered.", zh: "模型已回答。" },
  exit: { en: "exit", zh: "结束" },
  cost: { en: "cost", zh: "费用" },
  picture: { en: "the picture of this turn", zh: "本轮的图" },
  again: { en: "The copy is gone; the turn is kept. Look at it again:", zh: "副本已删除；这一轮已保存。再看一次：" },
};

export const demoSteer = (text: string): Text => ({
  en: `while the check runs, the user adds: ${text}`,
  zh: `检查运行时，用户补充：${text}`,
});

export const demoNoFolder = (folder: string, why: string): Text => ({
  en: `The tour works on a copy in the temporary folder ${folder}, and none can be made there (${why}); point TMPDIR to a folder that can be written.`,
  zh: `导览使用临时文件夹 ${folder} 中的副本，但无法在那里创建（${why}）；请把 TMPDIR 指向可写的文件夹。`,
});
