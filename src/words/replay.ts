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

/** `last`: of the turn. */
export const noIteration = (from: number, last: number): Text =>
  last === 0
    ? {
        en: "This turn has asked no model, so there is no iteration to go on from. /retry in a conversation asks its message again.",
        zh: "这一轮没有询问过模型，因此没有可以接续的迭代。可在对话中用 /retry 重新提问。",
      }
    : {
        en: `This turn has no iteration ${from}: --from takes 1 to ${last}. evander turn explain lists them.`,
        zh: `这一轮没有第 ${from} 次迭代：--from 可取 1 到 ${last}。evander turn explain 会列出它们。`,
      };

export const noNumber = (said: string): Text => ({
  en: `--from ${said} is no iteration: write its number, from 1. evander turn explain lists them.`,
  zh: `--from ${said} 不是迭代：请写出从 1 开始的编号。evander turn explain 会列出它们。`,
});

export const stillRuns = (pid: number): Text => ({
  en: `This turn still runs in process ${pid}: wait until it has ended, or stop it there.`,
  zh: `这一轮仍在进程 ${pid} 中运行：请等它结束，或在那里停止它。`,
});

export const compactedBefore = (from: number): Text => ({
  en: `The turn had compacted its history before iteration ${from}, and a new session cannot begin in the middle of that: take an iteration before it.`,
  zh: `这一轮在第 ${from} 次迭代之前压缩过历史，新会话无法从中间接续：请选择压缩之前的迭代。`,
});

export const repairsReply = (from: number): Text => ({
  en: `Iteration ${from} only goes on with a reply that was empty or cut off: take the iteration before it.`,
  zh: `第 ${from} 次迭代只是在接续一个为空或被截断的回复：请选择它之前的迭代。`,
});

export const NOT_LEAVABLE: Text = {
  en: "The session of this turn cannot be left at that place: it works for another one, or a message before the turn was never answered. Fork the session it works for, or an earlier turn.",
  zh: "不能在该处从这一轮的会话分叉：它为其他会话工作，或之前有消息从未得到回答。请对它所属的会话分叉，或选择更早的一轮。",
};

export const UNREADABLE_PAST: Text = {
  en: "What this turn had said by then is not whole in the store: evander doctor --check says what is missing. Take an earlier iteration.",
  zh: "这一轮到那时的内容在存储中不完整：evander doctor --check 会说明缺少什么。请选择更早的迭代。",
};

export const LIVE_WORDS: Readonly<Record<"needsFrom" | "inFile", Text>> = {
  needsFrom: {
    en: "These options say how a turn goes on live: name the iteration with --from N, or leave them out.",
    zh: "这些选项用于实际接续一轮：请用 --from N 指定迭代，或去掉它们。",
  },
  inFile: {
    en: "A turn in a file can be replayed, and not gone on with: name one that is in the store.",
    zh: "文件中的一轮只能重放，不能接续：请指定存储中的一轮。",
  },
};

/** Before anything is asked. */
export const takesOver = (turnId: string, from: number, sessionId: string): Text =>
  from === 1
    ? {
        en: `Turn ${turnId} is asked anew from its first iteration, in the new session ${sessionId}.`,
        zh: `在新会话 ${sessionId} 中从第一次迭代起重新询问轮次 ${turnId}。`,
      }
    : {
        en: `Turn ${turnId} goes on from iteration ${from} in the new session ${sessionId}. What its tools did before is not done again, and files are as they are now.`,
        zh: `在新会话 ${sessionId} 中从第 ${from} 次迭代起接续轮次 ${turnId}。之前工具所做的事不会重做，文件保持现在的样子。`,
      };
