import type { NoteFile, NoteRefusal } from "../../protocol/memory.ts";
import { type Sentence, inBoth } from "../../protocol/sentence.ts";

const KEPT = {
  en: "The notes are as they were, and the next dream reads the same again.",
  zh: "笔记保持原样，下次整理会重新阅读同样的内容。",
} as const;

export const noAnswer = (message: Sentence): Sentence => {
  const { en, zh } = inBoth(message);
  return { en: `${en} ${KEPT.en}`, zh: `${zh} ${KEPT.zh}` };
};

export const uselessReply = (why: string): Sentence => ({
  en: `The model's reply cannot be used: ${why}. ${KEPT.en}`,
  zh: `模型的回复无法使用：${why}。${KEPT.zh}`,
});

const FILES: Readonly<Record<NoteFile, string>> = { memory: "MEMORY.md", user: "USER.md" };

/** Why the book has not taken what the model made of a file. */
export function refusedBy(file: NoteFile, refusal: NoteRefusal): Sentence {
  const name = FILES[file];
  switch (refusal.why) {
    case "no-room":
      return {
        en: `What the model made of ${name} has ${refusal.characters} characters, and ${refusal.limit} fit. ${KEPT.en}`,
        zh: `模型整理后的 ${name} 有 ${refusal.characters} 个字符，最多 ${refusal.limit} 个。${KEPT.zh}`,
      };
    case "threat":
      return {
        en: `A note that the model wrote for ${name} looks like an attack (${refusal.threats.join(", ")}). ${KEPT.en}`,
        zh: `模型为 ${name} 写的一条笔记疑似攻击（${refusal.threats.join(", ")}）。${KEPT.zh}`,
      };
    case "secret":
      return {
        en: `A note that the model wrote for ${name} holds a key or a password. ${KEPT.en}`,
        zh: `模型为 ${name} 写的一条笔记含有密钥或密码。${KEPT.zh}`,
      };
    case "unreadable":
      return refusal.sentence;
    case "blank":
    case "not-found":
    case "ambiguous":
      return { en: `${name} could not be changed. ${KEPT.en}`, zh: `无法更改 ${name}。${KEPT.zh}` };
  }
}
