import type { Text } from "./language.ts";

export const NEXT_WORDS: Readonly<Record<"nothing", Text>> = {
  nothing: { en: "The last turn leaves nothing to do.", zh: "上一轮没有留下要做的事。" },
};

export const runsOne = (command: string): Text => ({
  en: `${command} runs one of them.`,
  zh: `${command} 运行其中一项。`,
});

export const noSuchStep = (n: string, count: number): Text => ({
  en:
    count === 0
      ? "The last turn leaves nothing to do, so there is no step to run."
      : `There is no step ${n}: the last turn leaves ${count === 1 ? "only step 1" : `steps 1 to ${count}`}; evander next lists them.`,
  zh:
    count === 0
      ? "上一轮没有留下要做的事，因此没有可运行的步骤。"
      : `没有步骤 ${n}：上一轮有 1 到 ${count}；evander next 会列出。`,
});

/** A step that is done elsewhere: in the shell, or by whoever asks. */
export const notOurs = (n: string, step: string): Text => ({
  en: `Step ${n} is yours to do: ${step}`,
  zh: `步骤 ${n} 需要你自己完成：${step}`,
});

export const needsValues = (n: string, takes: readonly string[], command: string): Text => ({
  en:
    takes.length === 0
      ? `Step ${n} takes nothing more: evander next ${n}`
      : `Step ${n} needs ${takes.join(", ")} (${command}): evander next ${n} ${takes.join(" ")}`,
  zh:
    takes.length === 0
      ? `步骤 ${n} 不需要其他内容：evander next ${n}`
      : `步骤 ${n} 需要 ${takes.join("、")}（${command}）：evander next ${n} ${takes.join(" ")}`,
});
