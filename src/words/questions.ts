import type { Text } from "./language.ts";

/** What people read about questions of a model to its user. */
export const QUESTION_WORDS: Readonly<
  Record<"hint" | "hintWithChoices" | "asks" | "isQuestion" | "isCall" | "answered" | "prompt", Text>
> = {
  prompt: { en: "answer", zh: "回答" },
  asks: { en: "asks you", zh: "向你提问" },
  hint: { en: "your words; nothing: it decides itself", zh: "输入回答；留空则由它自行决定" },
  hintWithChoices: {
    en: "a number, or other words; nothing: it decides itself",
    zh: "输入编号或其他内容；留空则由它自行决定",
  },
  answered: { en: "answered", zh: "已回答" },
  isQuestion: {
    en: "This is a question, not a call: answer it with evander answer ID WORDS.",
    zh: "这是一个问题而不是调用：请用 evander answer ID 内容 来回答。",
  },
  isCall: {
    en: "This call needs a yes or no, not words: use evander approve yes ID or evander approve no ID.",
    zh: "该调用需要同意或拒绝，而不是文字：请用 evander approve yes ID 或 evander approve no ID。",
  },
};

export const questionAskedLine = (calls: string): Text => ({
  en: `asks its user: ${calls}`,
  zh: `向用户提问：${calls}`,
});

export const questionAnsweredLine = (said: string): Text =>
  said === ""
    ? { en: "its user gave no answer", zh: "用户没有回答" }
    : { en: `its user answered: ${said}`, zh: `用户回答：${said}` };
