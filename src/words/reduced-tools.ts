import type { Text } from "./language.ts";

interface Model {
  readonly model: string;
  /** Tokens. */
  readonly contextWindow?: number;
}

interface Reduced {
  readonly because: "takes-none" | "small-window" | undefined;
  readonly left: readonly string[];
}

/** Said where a model is given fewer tools than there are; nothing where it has them all. */
export function reducedTools({ model, contextWindow }: Model, { because, left }: Reduced): Text[] {
  switch (because) {
    case undefined:
      return [];
    case "takes-none":
      return [
        {
          en: `${model} takes no tools: it can only talk, and neither reads nor changes anything here. Use a model that does (evander doctor providers).`,
          zh: `${model} 不支持工具：它只能对话，不会读取或修改任何内容。请换用支持工具的模型（evander doctor providers）。`,
        },
      ];
    case "small-window":
      return [
        {
          en: `${model} has a small context window, ${contextWindow} tokens: these tools are left out: ${left.join(", ")}. Load it with a larger window.`,
          zh: `${model} 的上下文窗口较小，只有 ${contextWindow} 个 token：以下工具未启用：${left.join(", ")}。请用更大的窗口加载它。`,
        },
      ];
  }
}
