import { plural } from "../protocol/plural.ts";
import type { Text } from "./language.ts";
import type { Step } from "./steps.ts";

type Says = "nothing" | "unchanged" | "none" | "busy" | "noPast" | "practice" | "changed" | "would";

export const DREAM_WORDS: Readonly<Record<Says, Text>> = {
  nothing: {
    en: "There are no notes, and nothing new was said: no model was asked.",
    zh: "没有笔记，也没有新的对话内容：没有询问模型。",
  },
  unchanged: { en: "Nothing had to be changed.", zh: "没有需要改动的内容。" },
  none: {
    en: "There is no dream to undo: none has changed notes, or the last one is undone already.",
    zh: "没有可撤销的梦：没有梦改动过笔记，或最近一次已被撤销。",
  },
  busy: {
    en: "Another process is tidying the notes at this moment; try again when it is done.",
    zh: "另一个进程正在整理笔记；请等它完成后再试。",
  },
  would: { en: "Nothing was changed; it would be:", zh: "没有改动任何内容；将会是：" },
  noPast: { en: "No dream has changed notes yet.", zh: "还没有梦改动过笔记。" },
  practice: {
    en: "Tidying notes takes a language model, and there is only the practice model here.",
    zh: "整理笔记需要语言模型，而这里只有练习模型。",
  },
  changed: {
    en: "The notes were changed after the last dream, so it is not undone unasked: what was added since would be kept, and what was taken away would stay away.",
    zh: "最近一次梦之后笔记有过改动，因此不会直接撤销：之后添加的会保留，之后删除的不会恢复。",
  },
};

export const looksThrough = (notes: number, entries: number, model: string): Text => ({
  en: `Looking through ${plural(notes, "note")} and ${plural(entries, "entry", "entries")} of the diary with ${model} …`,
  zh: `正在用 ${model} 查看 ${notes} 条笔记和 ${entries} 条日记……`,
});

export const passedOver = (count: number): Text => ({
  en: `Left out: ${plural(count, "summary", "summaries")} of conversations in which others' words were read.`,
  zh: `未使用 ${count} 份摘要：那些对话中读过他人的话。`,
});

/** What it cost, and which version of the notes it is; `version` undefined: no new one. */
export function dreamFoot(cost: Text, tokens: number, version: number | undefined): Text {
  const from = version === undefined ? { en: "", zh: "" } : { en: `version ${version}, `, zh: `版本 ${version}，` };
  return { en: `${from.en}${cost.en}, ${tokens} tokens`, zh: `${from.zh}${cost.zh}，${tokens} 个 token` };
}

export const UNDO_DREAM: Step = {
  do: "undo",
  text: { en: "To put the notes back as they were.", zh: "如需恢复原来的笔记。" },
  command: "evander memory dream --undo",
};

export const UNDO_ANYWAY: Step = {
  do: "undo",
  text: { en: "To undo it all the same.", zh: "仍要撤销。" },
  command: "evander memory dream --undo --yes",
};

export const FIND_MODEL: Step = {
  do: "find-model",
  text: { en: "See which models there are, and what helps.", zh: "查看有哪些模型，以及如何使用。" },
  command: "evander doctor providers",
};
