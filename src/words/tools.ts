import type { Effect } from "../protocol/tool.ts";
import type { Text } from "./language.ts";
import type { Step } from "./steps.ts";

/** Why a tool is not offered to a model. */
export type Withheld =
  | { readonly type: "unavailable"; readonly why: string }
  /** By `tools.off`, by `tools.sets`. */
  | { readonly type: "off" | "not-chosen" };

/** A clause. */
export function withheldWords(withheld: Withheld): Text {
  switch (withheld.type) {
    case "unavailable": {
      const why = withheld.why.replace(/\.$/u, "");
      return { en: `unavailable: ${why}`, zh: `不可用：${why}` };
    }
    case "off":
      return { en: "switched off by tools.off", zh: "已由 tools.off 关闭" };
    case "not-chosen":
      return { en: "not among tools.sets", zh: "不在 tools.sets 之中" };
  }
}

export function notOffered(name: string, why: Withheld): Text {
  const { en, zh } = withheldWords(why);
  return { en: `The tool ${name} cannot be offered: ${en}.`, zh: `工具 ${name} 无法提供：${zh}。` };
}

export const namesNoTool = (name: string): Text => ({
  en: `tools.off names ${name}, but there is no such tool and no such set of tools.`,
  zh: `tools.off 中写了 ${name}，但没有这样的工具或工具组。`,
});

export const unknownTools = (names: readonly string[], known: readonly string[]): Text => ({
  en: `There is no tool ${names.join(", ")}; there are ${known.join(", ")}. --no-tools takes none.`,
  zh: `没有工具 ${names.join("、")}；可用的有 ${known.join("、")}。--no-tools 表示不用工具。`,
});

export const noSuchTool = (name: string): Text => ({
  en: `There is no tool ${JSON.stringify(name)} here.`,
  zh: `这里没有工具 ${JSON.stringify(name)}。`,
});

export const LIST_TOOLS: Step = {
  do: "list_tools",
  text: { en: "See which tools there are.", zh: "查看有哪些工具。" },
  command: "evander tool list",
};

export const showTool = (name: string): Step => ({
  do: "show_tool",
  text: { en: "See what it takes.", zh: "查看它接受哪些参数。" },
  command: `evander tool show ${name}`,
});

/** What a call does to the world. */
export const EFFECT_WORDS: Readonly<Record<Effect | "varies", Text>> = {
  pure: { en: "changes nothing", zh: "不做更改" },
  idempotent: { en: "may be repeated", zh: "可以重复" },
  resumable: { en: "goes on by itself", zh: "自行持续运行" },
  effect: { en: "changes things", zh: "会做更改" },
  varies: { en: "depends on the call", zh: "视调用而定" },
};

type Says = "offered" | "builtIn" | "mayRun" | "notRun" | "bothArguments" | "noArguments" | "failed" | "nobody";

export const TOOL_SAYS: Readonly<Record<Says, Text>> = {
  offered: { en: "offered", zh: "可用" },
  builtIn: { en: "built in", zh: "内置" },
  mayRun: { en: "Run it?", zh: "运行它吗？" },
  notRun: { en: "It was not run.", zh: "没有运行。" },
  bothArguments: {
    en: "The arguments are given either as one JSON object or with --arg, not both.",
    zh: "参数要么以一个 JSON 对象给出，要么用 --arg，不能两者并用。",
  },
  noArguments: {
    en: 'The arguments are no JSON object: write them as \'{"name": "value"}\', or each as --arg name=value.',
    zh: '参数不是 JSON 对象：请写成 \'{"name": "value"}\'，或逐个写成 --arg name=value。',
  },
  failed: { en: "It failed.", zh: "运行失败。" },
  nobody: {
    en: "Nobody can be asked here, so it was not run: add --yes to run it.",
    zh: "这里无人可问，因此没有运行：加 --yes 来运行。",
  },
};

export const fromFile = (path: string): Text => ({ en: `from ${path}`, zh: `来自 ${path}` });

export const needsYou = (why: string): Text => ({ en: `This needs your yes: ${why}`, zh: `这需要你同意：${why}` });

/** What the record of a tool is called where people read it. */
export const TOOL_FIELDS: Readonly<Record<"set" | "effect" | "together" | "source" | "state", Text>> = {
  set: { en: "set", zh: "工具组" },
  effect: { en: "effect", zh: "作用" },
  together: { en: "beside others", zh: "并行" },
  source: { en: "source", zh: "来源" },
  state: { en: "state", zh: "状态" },
};
