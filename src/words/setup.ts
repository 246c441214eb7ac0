import type { Text } from "./language.ts";

/** One thing a person can do where no model was found; `key` is what they press. */
export interface SetupChoice {
  readonly key: "1" | "2" | "3" | "d";
  readonly do: "paste-key" | "sign-in" | "local-server" | "demo";
  readonly text: Text;
  /** Shown when it is chosen: what happens then, or what to do meanwhile. */
  readonly chosen: Text;
}

/** The heading of the choices. */
export const NO_MODEL: Text = { en: "No model found.", zh: "没有找到模型。" };

/** What a conversation without a model offers, in this order (product.md 2.3). */
export const SETUP_CHOICES: readonly SetupChoice[] = [
  {
    key: "1",
    do: "paste-key",
    text: { en: "paste a key", zh: "粘贴密钥" },
    chosen: {
      en: "Paste the key and press Enter; it is kept for this conversation alone, and shown nowhere.",
      zh: "粘贴密钥并按回车；它只用于这次对话，不会显示。",
    },
  },
  {
    key: "2",
    do: "sign-in",
    text: { en: "sign in (not yet)", zh: "登录（尚不支持）" },
    chosen: {
      en: "Signing in is not supported yet; a key works today.",
      zh: "尚不支持登录；目前可以使用密钥。",
    },
  },
  {
    key: "3",
    do: "local-server",
    text: { en: "use a local server", zh: "使用本地服务器" },
    chosen: {
      en: "Start Ollama, LM Studio, llama.cpp, vLLM or Jan on this machine; it is looked for again.",
      zh: "在本机启动 Ollama、LM Studio、llama.cpp、vLLM 或 Jan；之后会再次查找。",
    },
  },
  {
    key: "d",
    do: "demo",
    text: { en: "demo", zh: "演示" },
    chosen: { en: "A tour on a scratch copy, without a model.", zh: "在临时副本上演示，不需要模型。" },
  },
];
