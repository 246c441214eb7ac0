import type { Text } from "./language.ts";

/** What is said of a file for a report. */
export const BUNDLE_WORDS: Readonly<Record<"would" | "stays" | "noRecord", Text>> = {
  would: { en: "Would be in it:", zh: "其中将包含：" },
  stays: {
    en: "Nothing was sent anywhere. Secrets that Evander knows, or that look like ones, are taken out; read it before you hand it on.",
    zh: "没有发送到任何地方。Evander 已知的或看起来像密钥的内容均已移除；转交之前请自行查看。",
  },
  noRecord: {
    en: "There is no record of this turn that could be put into a file.",
    zh: "这一轮没有可以放入文件的记录。",
  },
};

export const bundled = (file: string): Text => ({ en: `Written: ${file}`, zh: `已写入：${file}` });

export const fileTaken = (file: string): Text => ({
  en: `There is a file ${file} already: name another one, or say -y to replace it.`,
  zh: `文件 ${file} 已存在：请换一个名字，或用 -y 覆盖。`,
});

export const notBundled = (file: string, why: string): Text => ({
  en: `${file} could not be written (${why}): name a file in a folder that you may write to.`,
  zh: `无法写入 ${file}（${why}）：请指定一个可写文件夹中的文件。`,
});
