import type { Unchecked } from "../protocol/replay.ts";
import type { Text } from "./language.ts";

/** What is said of a turn that was run again against its record. */
export const UNCHECKED_WORDS: Readonly<Record<Unchecked, Text>> = {
  "no-kit": {
    en: "Nothing was run: this turn was recorded by a version that did not keep what turns run under.",
    zh: "没有重放：这一轮由较早的版本记录，当时还没有保存运行条件。",
  },
  "no-requests": {
    en: "Its requests are not kept any more, so they were not compared.",
    zh: "它的请求已不再保存，因此没有比较。",
  },
  "no-wire": {
    en: "Nobody can say how one of its models was asked, so those requests were not compared.",
    zh: "无法得知其中某个模型的请求方式，因此没有比较那些请求。",
  },
};

export const replaySame = (facts: number, requests: number): Text => ({
  en: `The same, without a network: ${facts} facts and ${requests} requests came out as they were recorded.`,
  zh: `结果相同（未使用网络）：${facts} 条事实和 ${requests} 个请求都与记录一致。`,
});

export const factDiffers = (index: number): Text => ({
  en: `The first difference is at fact ${index}.`,
  zh: `第一处不同在第 ${index} 条事实。`,
});

export const requestDiffers = (attempt: number, at: number, place: Text | undefined): Text => ({
  en: `The first difference is in the request of attempt ${attempt}, at character ${at}${place === undefined ? "" : `: ${place.en}`}.`,
  zh: `第一处不同在第 ${attempt} 次尝试的请求中，位于第 ${at} 个字符${place === undefined ? "" : `：${place.zh}`}。`,
});

export const REPLAY_WORDS: Readonly<Record<"recorded" | "now" | "nothing" | "next", Text>> = {
  recorded: { en: "recorded", zh: "记录" },
  now: { en: "now     ", zh: "现在" },
  nothing: { en: "nothing", zh: "无" },
  next: {
    en: "Evander decides otherwise than the version that recorded this turn: it was changed since, or this is a defect. evander bundle makes a file for a report.",
    zh: "Evander 的决定与记录这一轮的版本不同：程序后来改动过，或者这是缺陷。evander bundle 可生成用于报告的文件。",
  },
};

export const noRecordFile = (path: string, line: number): Text => ({
  en: `${path} is no recorded turn: line ${line} cannot be read. evander bundle makes such a file.`,
  zh: `${path} 不是已记录的一轮：第 ${line} 行无法读取。可用 evander bundle 生成这种文件。`,
});
