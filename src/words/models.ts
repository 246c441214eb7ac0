import type { Failure } from "../protocol/failure.ts";
import type { ModelEntry, ModelFacts, Prices, Rates } from "../protocol/model-facts.ts";
import type { ModelTrial } from "../protocol/model-trial.ts";
import { duration } from "./durations.ts";
import { failureWords } from "./failures.ts";
import type { Language, Text } from "./language.ts";
import { PROVIDERS } from "./providers.ts";
import { shellWord, type Step } from "./steps.ts";

const both = (text: string): Text => ({ en: text, zh: text });

const joined = (texts: readonly Text[]): Text => ({
  en: texts.map(({ en }) => en).join(", "),
  zh: texts.map(({ zh }) => zh).join("，"),
});

const LABEL_COLUMNS = 15;

const labelled = (en: string, zh: string, value: Text): Text => ({
  en: `${en.padEnd(LABEL_COLUMNS)}${value.en}`,
  zh: `${zh}：${value.zh}`,
});

const dollars = (price: number): string => `$${price}`;

const RATES: readonly (readonly [name: keyof Rates, words: Text])[] = [
  ["input", { en: "in", zh: "输入" }],
  ["output", { en: "out", zh: "输出" }],
  ["cacheRead", { en: "read from a cache", zh: "读缓存" }],
  ["cacheWrite5m", { en: "cached for 5 min", zh: "写缓存（5 分钟）" }],
  ["cacheWrite1h", { en: "cached for 1 h", zh: "写缓存（1 小时）" }],
  ["reasoning", { en: "thinking", zh: "思考" }],
];

const ratesText = (rates: Rates): Text =>
  joined(
    RATES.flatMap(([name, { en, zh }]) => {
      const price = rates[name];
      return price === undefined ? [] : [{ en: `${dollars(price)} ${en}`, zh: `${zh} ${dollars(price)}` }];
    }),
  );

/** Both prices of a model in one short word; undefined: nobody knows them. */
export function priceWord({ prices, included }: Pick<ModelFacts, "prices" | "included">): Text | undefined {
  if (included === true) return { en: "nothing billed", zh: "不计费" };
  if (prices === undefined) return undefined;
  const [input, output] = [dollars(prices.input), dollars(prices.output)];
  return { en: `${input} in, ${output} out a million`, zh: `每百万输入 ${input}、输出 ${output}` };
}

export const IMAGES: Text = { en: "images", zh: "图像" };

const UNKNOWN: Text = { en: "unknown", zh: "未知" };

/** All that is known of a model, a line each, as people see it. */
export function factLines(facts: ModelFacts): Text[] {
  const { contextWindow, maxOutput, input, takesTools, thinking, dialect, baseUrl, quirks } = facts;
  const takes = [
    { en: "text", zh: "文本" },
    ...(input?.includes("image") === true ? [IMAGES] : []),
    PROVIDERS.tools(takesTools ?? null),
  ];
  return [
    labelled("window", "上下文窗口", contextWindow === undefined ? UNKNOWN : PROVIDERS.window(contextWindow, false)),
    labelled("longest reply", "最长回复", maxOutput === undefined ? UNKNOWN : PROVIDERS.window(maxOutput, false)),
    labelled("takes", "接受", joined(takes)),
    ...(thinking === undefined ? [] : [labelled("thinks", "思考程度", levelsText(Object.keys(thinking)))]),
    ...(dialect === undefined ? [] : [labelled("asked in", "协议", both(withPlace(dialect, baseUrl)))]),
    ...priceLines(facts),
    ...(quirks.length === 0 ? [] : [labelled("quirks", "特性", both(quirks.join(", ")))]),
  ];
}

const withPlace = (dialect: string, baseUrl: string | undefined): string =>
  baseUrl === undefined ? dialect : `${dialect} (${baseUrl})`;

const levelsText = (levels: readonly string[]): Text =>
  levels.length === 0 ? { en: "not at all", zh: "不思考" } : both(levels.join(", "));

function priceLines({ prices, included }: ModelFacts): Text[] {
  if (included === true)
    return [
      labelled("price", "价格", {
        en: "nothing is billed by the token",
        zh: "不按 token 计费",
      }),
    ];
  if (prices === undefined) return [labelled("price", "价格", UNKNOWN)];
  const { en, zh } = ratesText(prices);
  return [
    labelled("price", "价格", { en: `${en} for a million tokens`, zh: `每百万 token：${zh}` }),
    ...(prices.tiers ?? []).map((tier) => tierLine(tier.aboveInputTokens, ratesText(tier))),
    labelled("price from", "价格来源", sourceText(prices)),
  ];
}

const tierLine = (above: number, { en, zh }: Text): Text => ({
  en: `${" ".repeat(LABEL_COLUMNS)}with more than ${above} tokens of input: ${en}`,
  zh: `  输入超过 ${above} 个 token 时：${zh}`,
});

const sourceText = ({ source, asOf }: Pick<Prices, "source" | "asOf">): Text => ({
  en: `${source}, as of ${asOf}`,
  zh: `${source}，截至 ${asOf}`,
});

/** Where the facts are from. */
export function entryLine(entry: ModelEntry | undefined): Text {
  if (entry === undefined)
    return labelled("known from", "信息来源", {
      en: "nowhere: the snapshot does not hold it",
      zh: "无：快照中没有这个模型",
    });
  const name = `${entry.provider}/${entry.id}`;
  const from = sourceText(entry);
  const how: Readonly<Record<ModelEntry["match"], Text>> = {
    exact: both(""),
    edition: { en: " (the same model, written otherwise)", zh: "（同一模型的另一种写法）" },
    elsewhere: {
      en: " (the same model at another provider: what may differ here is left out)",
      zh: "（另一服务商的同一模型：可能不同的内容未列出）",
    },
  };
  const { en, zh } = how[entry.match];
  return labelled("known from", "信息来源", {
    en: `${name}${en}, ${from.en}`,
    zh: `${name}${zh}，${from.zh}`,
  });
}

const TRIED_TOOLS: Readonly<Record<NonNullable<ModelTrial["tools"]>, Text>> = {
  called: { en: "called when asked to", zh: "按要求调用了工具" },
  "not-called": { en: "not called when asked to: it answered in words", zh: "没有按要求调用工具，而是用文字应答" },
  refused: { en: "refused by the server", zh: "服务器拒绝工具" },
};

/** What a real request showed, a line each. */
export function trialLines({ streams, tools, firstMs, totalMs, usage }: ModelTrial, language: Language): Text[] {
  const whole = duration(totalMs, language);
  const first = firstMs === null ? undefined : duration(firstMs, language);
  return [
    labelled("answered", "应答", {
      en: first === undefined ? `in ${whole}` : `in ${whole}, its first piece after ${first}`,
      zh: first === undefined ? `用时 ${whole}` : `用时 ${whole}，首段 ${first}`,
    }),
    labelled("streaming", "流式", streams === true ? { en: "yes", zh: "支持" } : { en: "refused", zh: "拒绝" }),
    labelled("tools", "工具", tools === null ? UNKNOWN : TRIED_TOOLS[tools]),
    labelled(
      "tokens",
      "token",
      usage === null
        ? UNKNOWN
        : { en: `${usage.input} in, ${usage.output} out`, zh: `输入 ${usage.input}，输出 ${usage.output}` },
    ),
  ];
}

/** Why a model gave no answer, in the words of the catalogue and of its server. */
export function trialFailure(failure: Failure, keySource: string | undefined): Text {
  const { explain } = failureWords(failure, { keySource });
  return { en: `${explain.en} ${failure.message}`, zh: `${explain.zh}${failure.message}` };
}

/** What helps then. */
export function trialSteps(
  failure: Failure,
  { provider, keySource }: { readonly provider: string; readonly keySource: string | undefined },
): readonly Step[] {
  switch (failure.reason) {
    case "auth":
    case "auth_permanent":
      return failureWords(failure, { keySource, provider }).next;
    case "model_not_found":
      return [
        {
          do: "look",
          text: { en: "See which models it has.", zh: "查看它有哪些模型。" },
          command: `evander model list --provider ${shellWord(provider)}`,
        },
      ];
    default:
      return [{ do: "look", text: PROVIDERS.look, command: "evander doctor providers" }];
  }
}

export const MODEL_WORDS = {
  noMatch: (text: string): Text => ({ en: `No model matches ${text}.`, zh: `没有匹配 ${text} 的模型。` }),
  nobody: (model: string): Text => ({
    en: `No provider is known that serves ${model}, and none is set up here.`,
    zh: `没有已知的服务商提供 ${model}，这里也没有设置服务商。`,
  }),
  servedBy: (model: string): Text => ({
    en: `${model} is served by these; --provider shows one of them:`,
    zh: `以下服务商提供 ${model}；用 --provider 查看其中一个：`,
  }),
  allKnown: {
    do: "look",
    text: { en: "See every model that is known.", zh: "查看所有已知的模型。" },
    command: "evander model list --known",
  },
  setIt: (name: string): Step => ({
    do: "configure",
    text: { en: "Say what you know of it.", zh: "写下你所知道的。" },
    command: `evander config set ${shellWord(`models.${name}.contextWindow`)} TOKENS`,
  }),
} as const;
