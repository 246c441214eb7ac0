import type { Cost } from "../protocol/money.ts";
import { plural } from "../protocol/plural.ts";
import { duration } from "./durations.ts";
import type { Language, Text } from "./language.ts";
import { costWords } from "./money.ts";

/** The keys that answer a question. */
export const YES_NO = "[y/N] ";

/** `id` is what `/approve ID` and `/deny ID` name it by. */
export const questionOf = (at: number, of: number, id: string): Text => ({
  en: `Question ${at} of ${of} (${id}):`,
  zh: `第 ${at} 个问题，共 ${of} 个（${id}）：`,
});

/** Before what each side says, where nothing but the words can show who speaks. */
export const YOU: Text = { en: "You: ", zh: "你：" };
export const AGENT: Text = { en: "Agent:", zh: "助手：" };

/** What a conversation says about itself; `text` is one line. */
export const CHAT_SAYS: Readonly<Record<"leave" | "practice" | "again" | "inputEnded", Text>> = {
  leave: {
    en: "A line is a message; Ctrl-C stops a turn, Ctrl-D or /quit leaves, /help says more.",
    zh: "一行就是一条消息；Ctrl-C 停止本轮，Ctrl-D 或 /quit 离开，/help 查看更多。",
  },
  practice: {
    en: "This is the practice model: a small rule-based program, no language model. It works on the files of this folder.",
    zh: "这是练习模型：一个基于规则的小程序，不是语言模型。它处理此文件夹中的文件。",
  },
  again: { en: "Ctrl-C again leaves.", zh: "再按一次 Ctrl-C 离开。" },
  inputEnded: { en: "The input has ended: leaving after this turn.", zh: "输入已结束：本轮之后离开。" },
};

export const steersNow = (text: string): Text => ({ en: `steers now: ${text}`, zh: `插话：${text}` });

export const redirects = (text: string): Text => ({ en: `redirects: ${text}`, zh: `改变方向：${text}` });

export const queued = (text: string): Text => ({ en: `queued: ${text}`, zh: `已排队：${text}` });

export const ignoredKeys = (text: string): Text => ({
  en: `Typed too early to be an answer, and not taken: ${text}`,
  zh: `输入太早，没有当作答复：${text}`,
});

export const unsent = (count: number): Text => ({
  en: `${plural(count, "line was", "lines were")} not sent:`,
  zh: `有 ${count} 行没有发送：`,
});

export const goesOnWith = (command: string): Text => ({
  en: `Go on with this session: ${command}`,
  zh: `继续此会话：${command}`,
});

export const unfinishedTurn = (command: string): Text => ({
  en: `This session has an unfinished turn: a new message closes it; this goes on with it: ${command}`,
  zh: `此会话有未完成的一轮：新消息会关闭它；用此命令继续它：${command}`,
});

export interface Closing {
  /** Who answered, where that is not the model that is asked otherwise. */
  readonly by: string | undefined;
  readonly iterations: number;
  readonly retries: number;
  readonly durationMs: number;
  readonly cost: Cost;
}

/** The last line of a turn that ended with an answer. */
export function answeredLine({ by, iterations, retries, durationMs, cost }: Closing, language: Language): string {
  const time = duration(durationMs, language);
  const en = [
    by === undefined ? "✓ answered" : `✓ answered by ${by}`,
    plural(iterations, "iteration"),
    retries === 0 ? "" : plural(retries, "retry", "retries"),
    time,
    costWords(cost).en,
  ];
  const zh = [
    by === undefined ? "✓ 已回答" : `✓ ${by} 已回答`,
    `${iterations} 次迭代`,
    retries === 0 ? "" : `${retries} 次重试`,
    time,
    costWords(cost).zh,
  ];
  return { en, zh }[language].filter((part) => part !== "").join(" · ");
}

export const namesNoFile = (path: string): Text => ({
  en: `There is no file ${path} here: it is sent as a word.`,
  zh: `这里没有文件 ${path}：按普通文字发送。`,
});

export const attached = (path: string): Text => ({ en: `attached: ${path}`, zh: `已附上：${path}` });

/** What the model is told beside a message: not the words of the person. */
export const RAN_BY_USER = "a command that the user ran in the folder";

export const otherProviders = (names: readonly string[]): Text => ({
  en: `There is also ${names.join(", ")}: /model NAME PROVIDER uses another one.`,
  zh: `还有 ${names.join("、")}：/model 名称 服务商 可换用另一个。`,
});

export interface IterationEnd {
  readonly iteration: number;
  readonly spanMs: number;
  /** The part of what was sent that the provider had in its cache; undefined: it did not say. */
  readonly cached: number | undefined;
}

/** `iteration 2 · 1.9 s · cache 94 %` */
export function iterationLine({ iteration, spanMs, cached }: IterationEnd, language: Language): string {
  const share = cached === undefined ? undefined : `${Math.round(cached * 100)} %`;
  const time = duration(spanMs, language);
  const en = [`  iteration ${iteration}`, time, ...(share === undefined ? [] : [`cache ${share}`])];
  const zh = [`  第 ${iteration} 次迭代`, time, ...(share === undefined ? [] : [`缓存 ${share}`])];
  return { en, zh }[language].join(" · ");
}
