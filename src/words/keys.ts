import type { KeyFileError, KnownKey } from "../protocol/keys.ts";
import { duration } from "./durations.ts";
import type { Text } from "./language.ts";
import { shellWord, type Step } from "./steps.ts";

/** What the commands about keys say. */
export const KEY_WORDS = {
  none: {
    en: "No key is known here: evander auth add PROVIDER keeps one.",
    zh: "这里没有已知的密钥：evander auth add 提供方 可以保存一个。",
  },
  kept: { en: "kept in credentials.json", zh: "保存在 credentials.json" },
  keyOf: (provider: string): Text => ({ en: `Key of ${provider}: `, zh: `${provider} 的密钥：` }),
  noKey: {
    en: "That is no key: a key is one word, given on stdin or at the prompt.",
    zh: "这不是密钥：密钥是一个词，从标准输入或提示处给出。",
  },
  noGrant: {
    en: "That is no grant: give the authority's answer as JSON, with access_token and refresh_token.",
    zh: "这不是授权：请以 JSON 给出授权服务器的回答，其中包含 access_token 和 refresh_token。",
  },
  whichClient: {
    en: "Say as whom the key is renewed: --client-id ID, beside --token-url.",
    zh: "请说明以谁的身份更新密钥：在 --token-url 之外加上 --client-id ID。",
  },
  whichServer: {
    en: "Any server may be called custom: say which one the key is for with --base-url URL.",
    zh: "任何服务器都可能叫 custom：请用 --base-url URL 说明密钥属于哪一个。",
  },
  whichAuthority: {
    en: "Say who grants the key: --device-url URL, --token-url URL and --client-id ID; no authority is built in.",
    zh: "请说明由谁授予密钥：--device-url URL、--token-url URL 和 --client-id ID；没有内置的授权服务器。",
  },
  notSafe: (address: string): Text => ({
    en: `${address} is no https:// address: what is granted there could be read on the way.`,
    zh: `${address} 不是 https:// 地址：在那里授予的内容可能在途中被读取。`,
  }),
  agree: (address: string, code: string): Text => ({
    en: `Open ${address} on any device, and type ${code}`,
    zh: `在任意设备上打开 ${address}，输入 ${code}`,
  }),
  noAuthority: (url: string): Text => ({
    en: `${url} does not answer as an authority for devices does: see whether --device-url is right.`,
    zh: `${url} 没有像设备授权服务器那样回答：请检查 --device-url 是否正确。`,
  }),
  notGranted: (code: string): Text => ({
    en: `No key was granted: ${code}.`,
    zh: `没有授予密钥：${code}。`,
  }),
  noPriority: (given: string): Text => ({
    en: `A priority is a whole number, the smallest first; it is ${given}.`,
    zh: `优先级是整数，最小的在前；现在是 ${given}。`,
  }),
  noAddress: (given: string): Text => ({
    en: `${given} is no http:// or https:// address.`,
    zh: `${given} 不是 http:// 或 https:// 地址。`,
  }),
  added: (provider: string, label: string, fingerprint: string): Text => ({
    en: `kept for ${provider}: ${label}, #${fingerprint}`,
    zh: `已为 ${provider} 保存：${label}，#${fingerprint}`,
  }),
  wouldAdd: (provider: string): Text => ({
    en: `a key would be kept for ${provider}`,
    zh: `将会为 ${provider} 保存一个密钥`,
  }),
  removed: (label: string, fingerprint: string, dryRun: boolean): Text => ({
    en: `${dryRun ? "would not be kept" : "not kept"} any more: ${label}, #${fingerprint}`,
    zh: `${dryRun ? "将不再保存" : "不再保存"}：${label}，#${fingerprint}`,
  }),
  noSuchKey: (provider: string, which: string | undefined): Text => ({
    en: `No key ${which === undefined ? "" : `${which} `}of ${provider} is kept.`,
    zh: `没有保存 ${provider} 的密钥${which === undefined ? "" : ` ${which}`}。`,
  }),
  whichKey: (provider: string, keys: readonly string[]): Text => ({
    en: `${provider} has several keys; name one by id, label or fingerprint: ${keys.join(", ")}.`,
    zh: `${provider} 有多个密钥；请用编号、名称或指纹指定一个：${keys.join("、")}。`,
  }),
} as const;

/** What helps where the file of keys cannot be used. */
export const keyFileSteps = ({ remedy }: Pick<KeyFileError, "remedy">): readonly Step[] => {
  if (remedy === undefined) return [];
  const path = shellWord(remedy.path);
  if (remedy.do === "close")
    return [
      {
        do: "close-keys",
        text: { en: "Let nobody else read it.", zh: "不要让其他人读取它。" },
        command: `chmod 600 ${path}`,
      },
    ];
  return [
    {
      do: "put-keys-aside",
      text: {
        en: "Mend it, or put it aside and add the keys anew with evander auth add.",
        zh: "修复它，或者把它移到一边，再用 evander auth add 重新添加密钥。",
      },
      command: `mv ${path} ${shellWord(`${remedy.path}.aside`)}`,
    },
  ];
};

/** What is known of a key, and when it returns. */
export function keyState({ status, provider }: KnownKey, nowMs: number): Text {
  switch (status.state) {
    case "ok":
      return { en: "ok", zh: "可用" };
    case "exhausted": {
      const leftMs = Math.max(0, status.untilMs - nowMs);
      return {
        en: `used up (${status.reason}); returns in ${duration(leftMs, "en")}`,
        zh: `已用尽（${status.reason}）；${duration(leftMs, "zh")}后恢复`,
      };
    }
    case "dead":
      return {
        en: `refused for good (${status.message}): evander auth add ${provider} keeps a new one`,
        zh: `已失效（${status.message}）：evander auth add ${provider} 可以保存新的密钥`,
      };
  }
}
