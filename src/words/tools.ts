import type { Text } from "./language.ts";

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
