import type { InBoth } from "../../protocol/sentence.ts";
import { SKILL_FOLDERS, SKILL_LIMITS, type SkillFinding, type SkillRoot } from "../../protocol/skill.ts";
import type { DescriptionFault } from "./describe.ts";
import { HEADER_CHARS, type HeaderFault } from "./header.ts";
import type { NameFault } from "./name.ts";
import type { ReadFault } from "./read-file.ts";

/** What is wrong with a skill, as a clause that follows what it is said of. */
export type SkillFault =
  | { readonly type: "header"; readonly fault: HeaderFault }
  | { readonly type: "description"; readonly fault: DescriptionFault }
  | { readonly type: "file"; readonly fault: ReadFault }
  | { readonly type: "threats"; readonly threats: readonly string[] }
  | { readonly type: "name"; readonly fault: NameFault }
  | { readonly type: "too-long"; readonly chars: number | undefined }
  | { readonly type: "path" | "links-out" };

/** One sentence: what, and what is wrong with it. */
export function faultSentence(what: string, fault: SkillFault): InBoth {
  const { en, zh } = clause(fault);
  return { en: `${what}: ${en}.`, zh: `${what}：${zh}。` };
}

function clause(fault: SkillFault): InBoth {
  switch (fault.type) {
    case "header":
      return headerClause(fault.fault);
    case "description":
      return descriptionClause(fault.fault);
    case "file":
      return fileClause(fault.fault);
    case "name":
      return NAME_CLAUSES[fault.fault];
    case "threats":
      return {
        en: `it is not told, because of what stands in it (${fault.threats.join(", ")}); take that out`,
        zh: `其中有问题内容（${fault.threats.join("、")}），因此不告诉模型；请删去`,
      };
    case "too-long": {
      const most = SKILL_LIMITS.skillChars;
      const is = fault.chars === undefined ? "" : ` of ${fault.chars}`;
      return { en: `it may have ${most} characters${is}`, zh: `最多 ${most} 个字符` };
    }
    case "path":
      return {
        en: `this is no path of a skill: write ${SKILL_FOLDERS.join("/, ")}/ and a name without a dot in front`,
        zh: `这不是技能中的路径：请写 ${SKILL_FOLDERS.join("/、")}/ 加文件名，文件名不能以点开头`,
      };
    case "links-out":
      return { en: "it is a link to what lies elsewhere", zh: "它是指向别处的链接" };
  }
}

const LETTERS: InBoth = {
  en: "a name has small letters, digits and single hyphens between them, such as tidy-notes",
  zh: "名称由小写字母、数字以及它们之间的单个连字符组成，例如 tidy-notes",
};

const NAME_CLAUSES: Readonly<Record<NameFault, InBoth>> = {
  blank: { en: "a name is needed", zh: "需要名称" },
  "too-long": {
    en: `a name has at most ${SKILL_LIMITS.nameChars} characters`,
    zh: `名称最多 ${SKILL_LIMITS.nameChars} 个字符`,
  },
  reserved: { en: "systems keep this name for a device", zh: "系统把这个名称保留给设备" },
  path: { en: "a name is no path", zh: "名称不是路径" },
  letters: LETTERS,
};

function headerClause(fault: HeaderFault): InBoth {
  switch (fault.why) {
    case "absent":
      return { en: "it does not begin with a header between two lines of ---", zh: "开头没有两行 --- 之间的头部" };
    case "open":
      return { en: "its header has no second line of ---", zh: "头部没有第二行 ---" };
    case "too-long":
      return { en: `its header is longer than ${HEADER_CHARS} characters`, zh: `头部超过 ${HEADER_CHARS} 个字符` };
    case "no-fields":
      return { en: 'its header has no "key: value" lines', zh: "头部没有 “键: 值” 行" };
    case "alias":
      return { en: "its header refers to another place of itself (*name)", zh: "头部引用了自身的其他位置（*name）" };
    case "too-deep":
      return { en: "its header nests too deeply", zh: "头部嵌套太深" };
    case "tag":
      return {
        en: `its header has a tag (${oneWord(fault.tag)}), and is data alone`,
        zh: "头部含有标签，而头部只能是数据",
      };
    case "yaml":
      return { en: `its header is no YAML: ${fault.detail}`, zh: `头部不是 YAML：${fault.detail}` };
  }
}

const oneWord = (text: string): string => text.replaceAll(/[^\w!:,./-]/gu, "_").slice(0, 60);

function descriptionClause(fault: DescriptionFault): InBoth {
  switch (fault.why) {
    case "no-name":
      return { en: "its header does not say its name", zh: "头部没有名称" };
    case "name":
      return {
        en: `its name is ${quoted(fault.name)}; ${LETTERS.en}`,
        zh: `名称是 ${quoted(fault.name)}；${LETTERS.zh}`,
      };
    case "other-name":
      return {
        en: `its name is ${quoted(fault.name)}, and its folder ${quoted(fault.folder)}: they must be the same`,
        zh: `名称是 ${quoted(fault.name)}，文件夹是 ${quoted(fault.folder)}：两者必须相同`,
      };
    case "no-description":
      return { en: "its header does not say what it is for (description)", zh: "头部没有说明用途（description）" };
    case "description-too-long":
      return {
        en: `its description has ${fault.chars} characters, and at most ${SKILL_LIMITS.descriptionChars} are told`,
        zh: `说明有 ${fault.chars} 个字符，最多 ${SKILL_LIMITS.descriptionChars} 个`,
      };
    case "needs":
      return {
        en: "what it needs (requires, platforms) is no list of names",
        zh: "它所需要的（requires、platforms）不是名称列表",
      };
  }
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

function fileClause(fault: ReadFault): InBoth {
  switch (fault.why) {
    case "absent":
      return { en: "there is no such file", zh: "没有这个文件" };
    case "outside":
      return { en: "it is a link out of its folder", zh: "它是指向文件夹之外的链接" };
    case "not-a-file":
      return { en: "it is no file", zh: "它不是文件" };
    case "not-text":
      return { en: "it is no UTF-8 text", zh: "它不是 UTF-8 文本" };
    case "no-permission":
      return { en: "it may not be read", zh: "没有读取权限" };
    case "unreadable":
      return { en: "it cannot be read", zh: "无法读取" };
    case "too-large":
      return {
        en: `it has ${fault.bytes} bytes, and at most ${SKILL_LIMITS.fileBytes} are read`,
        zh: `它有 ${fault.bytes} 字节，最多读取 ${SKILL_LIMITS.fileBytes} 字节`,
      };
  }
}

export const tooManySkills = (left: number, most: number): InBoth => ({
  en: `It has more than ${most} folders: ${left} are not looked into.`,
  zh: `其中超过 ${most} 个文件夹：有 ${left} 个未查看。`,
});

type Refusal = "noFolder" | "tooMany" | "tooManyFiles" | "tooManyProposals" | "blankFind";

/** Why a change is not made; nothing has changed. */
export const REFUSALS: Readonly<Record<Refusal, InBoth>> = {
  noFolder: { en: "There is no folder for skills of the user here.", zh: "这里没有用户技能的文件夹。" },
  tooMany: { en: "There are too many skills: delete some first.", zh: "技能太多：请先删除一些。" },
  tooManyFiles: {
    en: `A skill has at most ${SKILL_LIMITS.files} files.`,
    zh: `一个技能最多 ${SKILL_LIMITS.files} 个文件。`,
  },
  tooManyProposals: {
    en: "Too many changes of skills wait for a person already (evander skill review).",
    zh: "已有太多技能改动等待处理（evander skill review）。",
  },
  blankFind: { en: "find is empty: say which text is to be replaced.", zh: "find 为空：请说明要替换的文字。" },
};

export const existsAlready = (name: string, root: SkillRoot): InBoth =>
  root === "user"
    ? { en: `There is a skill ${name} already: edit or patch it.`, zh: `技能 ${name} 已存在：请用 edit 或 patch。` }
    : {
        en: `There is a skill ${name} already, which is not the user's: take another name.`,
        zh: `已有名为 ${name} 的技能，它不属于用户：请换一个名称。`,
      };

export const noSkill = (name: string): InBoth => ({
  en: `There is no skill ${name}.`,
  zh: `没有技能 ${name}。`,
});

export const notYours = (name: string): InBoth => ({
  en: `The skill ${name} is not the user's: write one of your own under another name.`,
  zh: `技能 ${name} 不属于用户：请用另一个名称自己写一个。`,
});

export const linkedSkill = (name: string): InBoth => ({
  en: `The skill ${name} is a link to what lies elsewhere: it is changed there.`,
  zh: `技能 ${name} 是指向别处的链接：请在那里修改。`,
});

export const notFound = (file: string, count: number): InBoth =>
  count === 0
    ? { en: `find does not stand in ${file}: read it again.`, zh: `${file} 中没有 find 的文字：请重新读取。` }
    : {
        en: `find stands in ${file} ${count} times: say more of what is around it.`,
        zh: `find 的文字在 ${file} 中出现 ${count} 次：请多写一些上下文。`,
      };

export const dangerous = (findings: readonly SkillFinding[]): InBoth => {
  const ids = [...new Set(findings.map(({ id }) => id))];
  return {
    en: `This is not kept, because of what stands in it: ${ids.join(", ")}.`,
    zh: `因其内容而不予保存：${ids.join("、")}。`,
  };
};

export const notWritten = (code: string): InBoth => ({
  en: `The skill could not be written (${code}); nothing has changed.`,
  zh: `无法写入技能（${code}）；没有任何改变。`,
});

export const UNTRUSTED: InBoth = {
  en: "It is not read, because nobody has trusted the folder (evander trust add).",
  zh: "未被读取，因为该文件夹未受信任（evander trust add）。",
};
