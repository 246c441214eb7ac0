import type { MoneyEnd } from "../protocol/fact.ts";
import { type Bill, type Cost, costOfBill } from "../protocol/money.ts";
import type { Usage } from "../protocol/outcome.ts";
import { plural } from "../protocol/plural.ts";
import type { Language, Text } from "./language.ts";

/** `$0.0042`: whole cents where it is many of them, else as far as there is something to see. */
function dollars(usd: number): string {
  if (usd === 0 || usd >= 1) return `$${usd === 0 ? "0" : usd.toFixed(2)}`;
  return `$${Number(usd.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 9 })}`;
}

/** An amount with how sure it is; one that nobody knows is never told as nothing. */
export function costWords({ usd, status }: Cost): Text {
  switch (status) {
    case "unknown":
      return { en: "cost unknown", zh: "费用未知" };
    case "included":
      return { en: "$0 (included)", zh: "$0（不另计费）" };
    case "actual":
      return { en: dollars(usd ?? 0), zh: dollars(usd ?? 0) };
    case "estimated":
      return { en: `about ${dollars(usd ?? 0)}`, zh: `约 ${dollars(usd ?? 0)}` };
  }
}

export const moneyWarningLine = (spentUsd: number, limitUsd: number): Text => ({
  en: `! ${dollars(spentUsd)} of the ${dollars(limitUsd)} this turn may spend is spent`,
  zh: `! 本轮可用的 ${dollars(limitUsd)} 已花费 ${dollars(spentUsd)}`,
});

export const moneyAskedLine = (moreUsd: number): Text => ({
  en: `the money limit is reached: asking whether ${dollars(moreUsd)} more may be spent`,
  zh: `已达到费用上限：询问是否可以再花费 ${dollars(moreUsd)}`,
});

export const moneyDecidedLine = (allow: boolean): Text =>
  allow ? { en: "allowed: more may be spent", zh: "已允许：可以继续花费" } : { en: "denied", zh: "已拒绝" };

export const moneyEndLine = ({ why, spentUsd, limitUsd }: Omit<MoneyEnd, "type">): Text =>
  why === "limit"
    ? {
        en: `the money limit of ${dollars(limitUsd)} is reached (${dollars(spentUsd)} spent)`,
        zh: `已达到 ${dollars(limitUsd)} 的费用上限（已花费 ${dollars(spentUsd)}）`,
      }
    : {
        en: `nobody knows what the model costs, so the limit of ${dollars(limitUsd)} cannot be kept`,
        zh: `没有人知道该模型的价格，因此无法遵守 ${dollars(limitUsd)} 的上限`,
      };

/** To the billionth, as it was reckoned. */
export const exactDollars = (usd: number): string =>
  `$${usd.toLocaleString("en-US", { maximumFractionDigits: 9, useGrouping: false })}`;

export interface AccountWords {
  readonly attempts: number;
  readonly usage: Usage;
  readonly bill: Bill;
}

const OF: Readonly<Record<"turn" | "conversation" | "today", Text>> = {
  turn: { en: "This turn", zh: "本轮" },
  conversation: { en: "This conversation", zh: "本次对话" },
  today: { en: "Today, in all", zh: "今天总计" },
};

/** One line for what was used and what it cost. */
export const accountLine = (of: keyof typeof OF, account: AccountWords, language: Language): string =>
  `${OF[of][language]}${language === "zh" ? "：" : ": "}${accountWords(account, language)}`;

export function accountWords({ attempts, usage, bill }: AccountWords, language: Language): string {
  const [input, cached, output] = [usage.input, usage.cacheRead, usage.output].map((count) =>
    count.toLocaleString("en-US"),
  );
  const counts: Text = {
    en: `${plural(attempts, "request")}, ${input} tokens in (${cached} from the cache), ${output} out`,
    zh: `${attempts} 次请求，输入 ${input} 个词元（其中缓存 ${cached}），输出 ${output}`,
  };
  return `${counts[language]} · ${billWords(bill)[language]}`;
}

/** What is known of a sum with an unknown part is told, and that it is not all. */
function billWords(bill: Bill): Text {
  const words = costWords(costOfBill(bill));
  if (bill.status !== "unknown" || bill.usd === 0) return words;
  return { en: `${words.en}, at least ${dollars(bill.usd)}`, zh: `${words.zh}，至少 ${dollars(bill.usd)}` };
}

type Column =
  | "attempt"
  | "model"
  | "end"
  | "uncached"
  | "cacheRead"
  | "write5m"
  | "write1h"
  | "output"
  | "reasoning"
  | "cost";

/** The heads of the table of a turn's requests. */
export const COST_COLUMNS: Readonly<Record<Column, Text>> = {
  attempt: { en: "request", zh: "请求" },
  model: { en: "model", zh: "模型" },
  end: { en: "end", zh: "结果" },
  uncached: { en: "input", zh: "输入" },
  cacheRead: { en: "cache read", zh: "缓存读取" },
  write5m: { en: "cache write 5m", zh: "缓存写入 5m" },
  write1h: { en: "cache write 1h", zh: "缓存写入 1h" },
  output: { en: "output", zh: "输出" },
  reasoning: { en: "of it thought", zh: "其中思考" },
  cost: { en: "cost", zh: "费用" },
};

export const COST_WORDS: Readonly<Record<"sum" | "nothing" | "source", Text>> = {
  sum: { en: "sum", zh: "合计" },
  nothing: { en: "Nothing was asked of a model.", zh: "没有询问过模型。" },
  source: { en: "by", zh: "依据" },
};

export const daysLimit = (given: string): Text => ({
  en: `--days takes a whole number of days from 1 on, not ${JSON.stringify(given)}.`,
  zh: `--days 需要从 1 开始的整数天数，而不是 ${JSON.stringify(given)}。`,
});
