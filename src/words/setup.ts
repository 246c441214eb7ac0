import type { Text } from "./language.ts";

/** One thing a person can do where no model was found; `key` is the line they type. */
export interface SetupChoice {
  readonly key: "1" | "2" | "3" | "d";
  readonly do: "key" | "sign-in" | "local-server" | "demo";
  readonly text: Text;
  /** Said when it is chosen; `command` does it outside of a conversation. */
  readonly chosen: Text;
  readonly command: string | null;
}

/** What a conversation without a model offers, in this order (product.md 2.3). A key is never typed into it. */
export const SETUP_CHOICES: readonly SetupChoice[] = [
  {
    key: "1",
    do: "key",
    text: { en: "paste a key", zh: "粘贴密钥" },
    chosen: {
      en: "Leave with Ctrl-D and run this with the name of its provider; it takes the key unseen and keeps it",
      zh: "按 Ctrl-D 离开，然后带服务商名称运行；它会隐藏地读取密钥并保存",
    },
    command: "evander auth login openai",
  },
  {
    key: "2",
    do: "sign-in",
    text: { en: "sign in (not yet)", zh: "登录（尚不支持）" },
    chosen: { en: "Signing in is not supported yet; a key works today.", zh: "尚不支持登录；目前可以使用密钥。" },
    command: null,
  },
  {
    key: "3",
    do: "local-server",
    text: { en: "use a local server", zh: "使用本地服务器" },
    chosen: {
      en: "Looking for Ollama, LM Studio, llama.cpp, vLLM, Jan and LocalAI on this machine …",
      zh: "正在本机查找 Ollama、LM Studio、llama.cpp、vLLM、Jan 和 LocalAI……",
    },
    command: null,
  },
  {
    key: "d",
    do: "demo",
    text: { en: "demo", zh: "演示" },
    chosen: {
      en: "Leave with Ctrl-D and run this: a tour on a scratch copy, without a model",
      zh: "按 Ctrl-D 离开，然后运行：在临时副本上演示，不需要模型",
    },
    command: "evander demo",
  },
];
