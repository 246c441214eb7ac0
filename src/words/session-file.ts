import type { Text } from "./language.ts";

/** What can be wrong with a line of a file that sessions are to be read from. */
export const FILE_TROUBLES: Readonly<
  Record<
    | "notJson"
    | "empty"
    | "notAMessage"
    | "notOpenAi"
    | "noMessage"
    | "noId"
    | "noTime"
    | "noFacts"
    | "contradicts"
    | "noFact"
    | "twice",
    Text
  >
> = {
  notJson: { en: "it is no JSON object", zh: "不是 JSON 对象" },
  empty: { en: "there is nothing in it", zh: "里面没有内容" },
  notAMessage: {
    en: "it is no message: a role is missing, or is none that is known",
    zh: "不是消息：缺少 role，或 role 未知",
  },
  notOpenAi: {
    en: "its messages are not in the shape of the OpenAI chat API",
    zh: "其中的消息不是 OpenAI chat API 的格式",
  },
  noMessage: { en: "there is no message in it", zh: "里面没有消息" },
  noId: {
    en: "its sessionId is none: no path, no option, no white space; --new gives another one",
    zh: "sessionId 无效：不能是路径或选项，不能含空白；--new 会另给一个",
  },
  noTime: { en: "a time in it is none", zh: "其中的时间无效" },
  noFacts: { en: "the session has no facts", zh: "会话没有任何事实" },
  contradicts: { en: "the facts of the turn contradict each other", zh: "该轮的事实互相矛盾" },
  noFact: { en: "it holds no fact", zh: "不包含事实" },
  twice: { en: "two messages have one place", zh: "两条消息占同一位置" },
};

export const otherSchema = (found: string, known: string): Text => ({
  en: `its schema is ${found}, and ${known} is what can be read here`,
  zh: `其 schema 是 ${found}，这里只能读取 ${known}`,
});

export const unknownFact = (type: string): Text => ({
  en: `its fact is of an unknown type, ${type}: a newer Evander may have written it`,
  zh: `事实类型 ${type} 未知：可能由更新版本的 Evander 写入`,
});

export const incompleteFact = (type: string): Text => ({
  en: `its ${type} lacks what belongs to one`,
  zh: `其中的 ${type} 缺少必需的内容`,
});
