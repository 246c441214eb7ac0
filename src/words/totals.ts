import { plural } from "../protocol/plural.ts";
import type { Usage } from "../protocol/outcome.ts";
import type { TurnResult } from "../protocol/result.ts";
import { duration } from "./durations.ts";
import type { Language, Text } from "./language.ts";

/** What a turn did, in numbers. */
export interface TurnCounts {
  readonly iterations: number;
  readonly retries: number;
  readonly calls: number;
  /** Of the calls. */
  readonly failed: number;
  readonly spanMs: number;
}

export const iterationsOf = (count: number): Text => ({ en: plural(count, "iteration"), zh: `${count} 次迭代` });

/** `3 iterations · 1 retry · 2 tool calls (1 failed) · 12 s`; what is zero is not told. */
export function turnCounts({ iterations, retries, calls, failed, spanMs }: TurnCounts, language: Language): string {
  const en = [
    plural(iterations, "iteration"),
    retries > 0 ? plural(retries, "retry", "retries") : "",
    calls > 0 ? plural(calls, "tool call") + (failed > 0 ? ` (${failed} failed)` : "") : "",
  ];
  const zh = [
    `${iterations} 次迭代`,
    retries > 0 ? `${retries} 次重试` : "",
    calls > 0 ? `${calls} 次工具调用${failed > 0 ? `（${failed} 次失败）` : ""}` : "",
  ];
  return [...{ en, zh }[language], duration(spanMs, language)].filter((part) => part !== "").join(" · ");
}

/** Tokens of a turn or of a whole conversation. */
export function tokensUsed(of: "turn" | "conversation", usage: Usage, language: Language): string {
  const { input, output, cacheRead, reasoning } = usage;
  const en = { turn: "This turn", conversation: "This conversation" }[of];
  const zh = { turn: "本轮", conversation: "本次对话" }[of];
  return {
    en: `${en}: ${number(input)} tokens in (${number(cacheRead)} from the cache), ${number(output)} out (${number(reasoning)} for thinking).`,
    zh: `${zh}：输入 ${number(input)} 个词元（其中缓存 ${number(cacheRead)}），输出 ${number(output)}（其中思考 ${number(reasoning)}）。`,
  }[language];
}

/** A price that nobody knows is never told as nothing. */
export function priceOf({ usd, status }: TurnResult["cost"]): Text {
  if (usd === null) return { en: "The price is unknown.", zh: "价格未知。" };
  if (status !== "included") return { en: `$${usd}.`, zh: `$${usd}。` };
  return {
    en: `$${usd}, nothing is billed: the practice model runs on this machine.`,
    zh: `$${usd}，不计费：练习模型在本机运行。`,
  };
}

const number = (tokens: number): string => tokens.toLocaleString("en-US");
