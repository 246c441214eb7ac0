import type { ProviderState } from "../protocol/provider.ts";
import type { Text } from "./language.ts";

const STATES: Readonly<Record<ProviderState, Text>> = {
  ready: { en: "ready", zh: "可用" },
  "by-name": { en: "by name", zh: "需指名" },
  offered: { en: "offered", zh: "可选用" },
  unsupported: { en: "not yet", zh: "尚不支持" },
  unusable: { en: "unusable", zh: "不可用" },
};

interface TableWords {
  readonly state: Readonly<Record<ProviderState, Text>>;
  readonly key: Text;
  readonly next: Text;
  /** Nobody was asked which models there are. */
  readonly unlisted: Text;
  readonly none: Text;
  /** What was looked for in vain. */
  readonly looked: Text;
  /** What helps then: the same that a conversation offers. */
  readonly steps: readonly { readonly text: Text; readonly command: string }[];
  readonly look: Text;
  more(count: number): Text;
  tokens(count: number): Text;
  /** `longest`: what it was made for, where nobody says how it is loaded. */
  window(tokens: number, longest: boolean): Text;
  tools(tools: boolean | null): Text;
}

/** The words of the table of providers. */
export const PROVIDERS: TableWords = {
  state: STATES,
  key: { en: "key", zh: "密钥" },
  next: { en: "next", zh: "下一步" },
  unlisted: {
    en: "Its models were not asked for: evander model list shows them.",
    zh: "没有查询它的模型：evander model list 会列出。",
  },
  none: {
    en: "No model was found beyond the practice model.",
    zh: "除练习模型外，没有找到模型。",
  },
  looked: {
    en: "Looked for: a provider in the config, keys in the environment, kept here or by other tools, and Ollama, LM Studio, llama.cpp, vLLM, Jan and LocalAI on this machine.",
    zh: "查找过：配置中的服务商，环境变量中、本程序或其他工具保存的密钥，以及本机的 Ollama、LM Studio、llama.cpp、vLLM、Jan 和 LocalAI。",
  },
  steps: [
    { text: { en: "Paste a key, and keep it", zh: "粘贴密钥并保存" }, command: "evander auth login openai" },
    { text: { en: "Use a local server", zh: "使用本地服务器" }, command: "ollama serve" },
  ],
  look: { en: "See all that was looked for", zh: "查看查找过的一切" },
  more: (count) => ({ en: `and ${count} more`, zh: `另有 ${count} 个` }),
  tokens: (count) => ({
    en: `asked once: ${count} tokens`,
    zh: `已请求一次：${count} 个 token`,
  }),
  window: (tokens, longest) => ({
    en: `${longest ? "up to " : ""}${tokens} tokens`,
    zh: `${longest ? "最多 " : ""}${tokens} 个 token`,
  }),
  tools: (tools) =>
    tools === null
      ? { en: "tools unknown", zh: "工具支持未知" }
      : tools
        ? { en: "takes tools", zh: "支持工具" }
        : { en: "takes no tools", zh: "不支持工具" },
};

/** Where a provider comes from: a variable, a config, or a look at this machine ("found on :11434"). */
export const cameFrom = (source: string): Text => {
  const [, place] = /^found on (.+)$/u.exec(source) ?? [];
  return place === undefined ? { en: `from ${source}`, zh: `来自 ${source}` } : { en: source, zh: `在 ${place} 找到` };
};

export const otherProvider = (id: string): Text => ({
  en: `Ask another provider that was found: ${id}.`,
  zh: `改用另一个已找到的服务商：${id}。`,
});
