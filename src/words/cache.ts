import type { PromptState } from "../protocol/prompt.ts";
import { duration } from "./durations.ts";
import type { Language, Text } from "./language.ts";
import { exactDollars } from "./money.ts";
import { promptLine } from "./timeline.ts";

type Column = "request" | "model" | "input" | "read" | "written" | "predicted" | "equal" | "missed";

/** The heads of the table of what a cache brought. */
export const CACHE_COLUMNS: Readonly<Record<Column, Text>> = {
  request: { en: "request", zh: "请求" },
  model: { en: "model", zh: "模型" },
  input: { en: "input", zh: "输入" },
  read: { en: "cache read", zh: "缓存读取" },
  written: { en: "cache write", zh: "缓存写入" },
  predicted: { en: "predicted", zh: "预计读取" },
  equal: { en: "equal", zh: "前缀相同" },
  missed: { en: "missed", zh: "未命中" },
};

export const NO_MISS: Text = { en: "Nothing was missed.", zh: "没有未命中的缓存。" };

export const NOT_KEPT: Text = {
  en: "What was sent is not kept here: nothing can be held against it.",
  zh: "这里没有保存发送过的内容：无法进行比较。",
};

export const silentLine = (models: string): Text => ({
  en: `${models}: its provider has said nothing of a cache in this session, so nobody knows what was read from one.`,
  zh: `${models}：其服务商在此会话中没有报告任何缓存用量，因此无法得知读取了多少缓存。`,
});

/** What the tokens of a miss cost more than if they had been read; null: nobody knows. */
const moreWords = (usd: number | null): Text =>
  usd === null
    ? { en: "nobody knows at what price", zh: "多付的费用未知" }
    : { en: `${exactDollars(usd)} more`, zh: `多付 ${exactDollars(usd)}` };

/** `tokens`: those that were missed; undefined: nobody knows. */
interface Told {
  readonly request: number;
  readonly equal: number;
  /** Undefined: the bytes are the same. */
  readonly place: Text | undefined;
  readonly cause: Text;
  readonly missed: { readonly tokens: number; readonly usd: number | null } | undefined;
}

export function missLine({ request, equal, place, cause, missed }: Told): Text {
  const same = equal.toLocaleString("en-US");
  const until: Text =
    place === undefined
      ? { en: "all that was sent before is equal", zh: "之前发送的内容全部相同" }
      : { en: `${same} tokens equal, then ${place.en}`, zh: `前 ${same} 个词元相同，随后是${place.zh}` };
  const tokens = missed?.tokens.toLocaleString("en-US");
  const more = missed === undefined ? undefined : moreWords(missed.usd);
  return {
    en: `request ${request}: ${until.en}: ${cause.en}${more === undefined ? "" : ` → ${tokens} tokens not read, ${more.en}`}`,
    zh: `请求 ${request}：${until.zh}：${cause.zh}${more === undefined ? "" : ` → ${tokens} 个词元未从缓存读取，${more.zh}`}`,
  };
}

export const toolPlace = (index: number, name: string): Text => ({
  en: `tools[${index}] ${JSON.stringify(name)}`,
  zh: `工具 tools[${index}] ${JSON.stringify(name)}`,
});

export const systemPlace = (now: string): Text =>
  now === ""
    ? { en: "the system prompt, which ends there", zh: "系统提示（到此结束）" }
    : { en: `the system prompt at "${now}"`, zh: `系统提示中的“${now}”` };

export const messagePlace = (index: number, role: string): Text => ({
  en: `messages[${index}] (${role})`,
  zh: `消息 messages[${index}]（${role}）`,
});

export const modelCause = (from: string, to: string): Text => ({
  en: `the model was switched from ${from} to ${to}, and each has a cache of its own`,
  zh: `模型从 ${from} 换成了 ${to}，各模型的缓存互不相通`,
});

/** A model has a cache of its own: nothing of the one before is to be read, whatever the bytes are. */
export const OTHER_MODEL: Text = { en: "another model", zh: "另一个模型" };

export const COMPACTION_CAUSE: Text = { en: "the history was compacted", zh: "历史已压缩" };

export const adjustmentCause = (adjusted: Text): Text => ({
  en: `something was refused (${adjusted.en})`,
  zh: `有内容被拒绝（${adjusted.zh}）`,
});

/** `from` undefined: it did not write down which it was. */
export const programCause = (from: string | undefined, to: string): Text => ({
  en: `Evander was upgraded from ${from ?? "an earlier version"} to ${to}`,
  zh: `Evander 从 ${from ?? "较早的版本"} 升级到了 ${to}`,
});

export function toolListCause(added: string, removed: string): Text {
  if (added === "" && removed === "") return { en: "the tools stand in another order", zh: "工具的顺序变了" };
  const en = [added === "" ? "" : `added ${added}`, removed === "" ? "" : `removed ${removed}`];
  const zh = [added === "" ? "" : `新增 ${added}`, removed === "" ? "" : `移除 ${removed}`];
  const joined = (parts: readonly string[], by: string): string => parts.filter((part) => part !== "").join(by);
  return { en: `the list of tools changed: ${joined(en, ", ")}`, zh: `工具列表变了：${joined(zh, "，")}` };
}

const TOOL_FIELDS: Readonly<Record<"description" | "schema", Text>> = {
  description: { en: "description", zh: "描述" },
  schema: { en: "schema", zh: "参数模式" },
};

export const toolTextCause = (changed: readonly ("description" | "schema")[]): Text => {
  const joined = (language: Language, by: string): string =>
    changed.map((field) => TOOL_FIELDS[field][language]).join(by);
  return { en: `its ${joined("en", " and ") || "text"} changed`, zh: `它的${joined("zh", "和") || "内容"}变了` };
};

/** `state`: why it was built anew; undefined: nobody wrote that down. `parts`: those that are known to have changed. */
export function promptCause(state: PromptState | undefined, parts: string): Text {
  const built = state === undefined ? undefined : promptLine(state);
  const { en, zh } = built ?? { en: "the system prompt is another one", zh: "系统提示变了" };
  return parts === "" ? { en, zh } : { en: `${en} (${parts})`, zh: `${zh}（${parts}）` };
}

export const TURN_PROMPT_CAUSE: Text = {
  en: "this turn adds something else to the system prompt",
  zh: "本轮在系统提示后附加了不同的内容",
};

export const HISTORY_CAUSE: Text = {
  en: "what was said before is sent otherwise",
  zh: "之前的对话以不同的形式发送",
};

export const parameterCause = (name: string, from: string | undefined, to: string | undefined): Text => ({
  en: `the parameter ${name} changed from ${from ?? "nothing"} to ${to ?? "nothing"}`,
  zh: `参数 ${name} 从 ${from ?? "无"} 变为 ${to ?? "无"}`,
});

export const KEY_CAUSE: Text = {
  en: "another key was sent, and the cache may lie with the account of the other one",
  zh: "使用了另一个密钥，缓存可能属于另一个账户",
};

export const lifetimeCause = (gapMs: number, lifetimeMs: number): Text => ({
  en: `${duration(gapMs)} passed since the request before, and what is cached is kept for about ${duration(lifetimeMs)}`,
  zh: `距上一次请求已过 ${duration(gapMs, "zh")}，而缓存大约只保留 ${duration(lifetimeMs, "zh")}`,
});

export const farMarkCause = (blocks: number, most: number): Text => ({
  en: `${blocks} blocks were added at once, and a cache looks back over ${most}`,
  zh: `一次增加了 ${blocks} 个块，而缓存最多回看 ${most} 个`,
});

export const PROVIDER_CAUSE: Text = {
  en: "it was sent in time, and the provider did not have it: its caches are many, and promise nothing",
  zh: "请求及时，但服务商没有命中：它有许多缓存，并不保证命中",
};
