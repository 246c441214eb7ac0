import { inBoth } from "../protocol/sentence.ts";
import { plural } from "../protocol/plural.ts";
import type { PromptNote, PromptPart, Unread } from "../protocol/prompt.ts";
import type { SkillTrouble } from "../protocol/skill.ts";
import type { Text } from "./language.ts";
import { shellWord } from "./steps.ts";

const UNREAD: Readonly<Record<Unread, Text>> = {
  "not-a-file": { en: "it is no file", zh: "它不是文件" },
  "not-text": { en: "it is no UTF-8 text", zh: "它不是 UTF-8 文本" },
  "too-large": { en: "it is too large to be a list of notes", zh: "它作为笔记列表太大了" },
  "no-permission": { en: "it may not be read", zh: "没有读取权限" },
  "leads-out": { en: "it is a link out of the project", zh: "它是指向项目之外的链接" },
  "leads-nowhere": { en: "it is a link that leads nowhere", zh: "它是指向不存在之处的链接" },
  unreadable: { en: "it cannot be read", zh: "无法读取" },
};

/** What a person is told of a file that the model is told otherwise, or not at all; `command`: what helps, if anything. */
export interface NoteTold {
  readonly text: Text;
  readonly command?: string;
}

/** Undefined: there is nothing to say of the part. */
export function noteTold({ note, source = "" }: Pick<PromptPart, "note" | "source">): NoteTold | undefined {
  return note && told(note, source);
}

function told(note: PromptNote, source: string): NoteTold {
  switch (note.type) {
    case "cut":
      return {
        text: {
          en: `${source} has ${note.bytes} bytes: the model is told its beginning and its end.`,
          zh: `${source} 有 ${note.bytes} 字节：只把开头和结尾告诉模型。`,
        },
      };
    case "blocked":
      return {
        text: {
          en: `${source} is left out of what the model is told, because of what stands in it: ${note.threats.join(", ")}. Look at the file and take that out.`,
          zh: `${source} 的内容有问题，没有告诉模型：${note.threats.join("、")}。请先检查该文件。`,
        },
      };
    case "untrusted":
      return {
        text: {
          en: `${source} is not read, because nobody has trusted its folder.`,
          zh: `${source} 未被读取，因为其文件夹未受信任。`,
        },
        command: `evander trust add ${shellWord(note.folder)}`,
      };
    case "unread":
      return {
        text: {
          en: `${source} is not told to the model: ${UNREAD[note.because].en}.`,
          zh: `${source} 没有告诉模型：${UNREAD[note.because].zh}。`,
        },
      };
    case "files-left-out":
      return {
        text: {
          en: `From ${source} on nothing is told to the model of ${plural(note.count, "file")}, for want of room: ${note.names.join(", ")}${note.names.length < note.count ? ", …" : ""}.`,
          zh: `从 ${source} 起的 ${note.count} 个文件没有告诉模型（没有足够的空间）：${note.names.join("、")}${note.names.length < note.count ? "……" : ""}。`,
        },
      };
    case "notes-left-out":
      return { text: notesLeftOut(note, source), command: "evander memory list" };
    case "skills-left-out":
      return {
        text: {
          en: `${plural(note.count, "skill")} too many to be told to the model: ${note.names.join(", ")}${note.names.length < note.count ? ", …" : ""}.`,
          zh: `技能过多，有 ${note.count} 个没有告诉模型：${note.names.join("、")}${note.names.length < note.count ? "……" : ""}。`,
        },
      };
    case "skills-unfit":
      return { text: unfitText(note.troubles, note.count) };
  }
}

function unfitText(troubles: readonly SkillTrouble[], count: number): Text {
  const inWords = (language: "en" | "zh"): string[] =>
    troubles.map(({ path, sentence }) => `${path}: ${inBoth(sentence)[language]}`);
  const left = count - troubles.length;
  return {
    en: `${plural(count, "folder")} of skills cannot be used. ${inWords("en").join(" ")}${left > 0 ? ` And ${left} more.` : ""}`,
    zh: `有 ${count} 个技能文件夹无法使用。${inWords("zh").join("")}${left > 0 ? `还有 ${left} 个。` : ""}`,
  };
}

function notesLeftOut(
  { blocked, threats, noRoom }: Extract<PromptNote, { type: "notes-left-out" }>,
  source: string,
): Text {
  const en = [
    ...(blocked === 0 ? [] : [`${plural(blocked, "note")} because of what stands in it (${threats.join(", ")})`]),
    ...(noRoom === 0 ? [] : [`${plural(noRoom, "note")} for want of room`]),
  ];
  const zh = [
    ...(blocked === 0 ? [] : [`${blocked} 条因内容有问题（${threats.join("、")}）`]),
    ...(noRoom === 0 ? [] : [`${noRoom} 条因空间不足`]),
  ];
  return {
    en: `Of ${source} the model is not told ${en.join(" and ")}; it is told the others.`,
    zh: `${source} 中有笔记没有告诉模型：${zh.join("，")}；其余的已告诉。`,
  };
}
