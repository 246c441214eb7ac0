import { inBoth } from "../protocol/sentence.ts";
import { plural } from "../protocol/plural.ts";
import type { InstallRefusal, SkillDifference, SkillOrigin } from "../protocol/skill-install.ts";
import type { SkillRoot } from "../protocol/skill.ts";
import type { Text } from "./language.ts";
import { shellWord, type Step } from "./steps.ts";

type Says =
  | "none"
  | "off"
  | "always"
  | "askInstall"
  | "nothingInstalled"
  | "nothingRemoved"
  | "needsNothing"
  | "acceptFindings"
  | "noFindings"
  | "noText"
  | "editedSince"
  | "onlyNew";

/** Whose a skill is. */
export const SKILL_ROOT_WORDS: Readonly<Record<SkillRoot, Text>> = {
  bundled: { en: "bundled", zh: "内置" },
  user: { en: "user", zh: "用户" },
  project: { en: "project", zh: "项目" },
};

export const SKILL_SAYS: Readonly<Record<Says, Text>> = {
  none: { en: "There is no skill here.", zh: "这里没有技能。" },
  off: { en: "switched off by skills.off", zh: "已由 skills.off 关闭" },
  always: { en: "always told", zh: "始终告知模型" },
  askInstall: { en: "Install this skill?", zh: "安装这个技能吗？" },
  nothingInstalled: { en: "Nothing was installed.", zh: "没有安装任何内容。" },
  nothingRemoved: { en: "Nothing was removed.", zh: "没有移除任何内容。" },
  needsNothing: { en: "needs nothing that it says", zh: "没有声明任何需要" },
  acceptFindings: {
    en: "The findings marked with ! need a yes of their own: read them, then add --accept-findings. Nothing was installed.",
    zh: "标有 ! 的发现需要单独同意：阅读之后加上 --accept-findings。没有安装任何内容。",
  },
  noFindings: { en: "Nothing was found.", zh: "没有发现任何问题。" },
  noText: { en: "no text", zh: "不是文本" },
  editedSince: {
    en: "It has been changed since it was installed: those changes go to the archive with it.",
    zh: "它在安装后被修改过：这些修改会随旧版一起存档。",
  },
  onlyNew: {
    en: "A skill of this name was written here, and not installed: it goes to the archive.",
    zh: "同名的技能是在这里编写的，并非安装所得：它会被存档。",
  },
};

export const noSuchSkill = (name: string): Text => ({
  en: `There is no skill ${JSON.stringify(name)}.`,
  zh: `没有名为 ${JSON.stringify(name)} 的技能。`,
});

export const unavailable = (why: string): Text => ({ en: `unavailable: ${why}`, zh: `不可用：${why}` });

export const revokedSkill = (line: string): Text => ({
  en: `revoked by the line ${JSON.stringify(line)} of skills-revoked`,
  zh: `已被 skills-revoked 中的 ${JSON.stringify(line)} 撤销`,
});

export const revokedNow = (name: string, line: string): Text => ({
  en: `The skill ${name} is not offered: the line ${JSON.stringify(line)} of skills-revoked revokes it. Its files are still there.`,
  zh: `技能 ${name} 不再提供：skills-revoked 中的 ${JSON.stringify(line)} 撤销了它。它的文件仍在。`,
});

export const revokedUnread = (path: string, said: string): Text => ({
  en: `${path} cannot be read (${said}): nobody knows which skills it revokes, and none is switched off.`,
  zh: `无法读取 ${path}（${said}）：不知道它撤销了哪些技能，因此没有关闭任何技能。`,
});

export const changedSkill = (files: readonly string[]): Text => ({
  en: `changed since it was installed: ${files.join(", ")}`,
  zh: `安装后有改动：${files.join("、")}`,
});

export const fromWhere = (origin: SkillOrigin): Text => {
  if (origin.type !== "git") return { en: `from ${origin.path}`, zh: `来自 ${origin.path}` };
  const where = `${origin.address}${origin.folder === undefined ? "" : ` (${origin.folder})`}`;
  return {
    en: `from ${where}, commit ${origin.commit}`,
    zh: `来自 ${where}，提交 ${origin.commit}`,
  };
};

export const updates = (version: string): Text => ({
  en: `updates the installed version ${version}:`,
  zh: `更新已安装的版本 ${version}：`,
});

export const fileCount = (files: number, bytes: number): Text => ({
  en: `${plural(files, "file")}, ${bytes} bytes:`,
  zh: `${files} 个文件，${bytes} 字节：`,
});

export const needs = (what: string): Text => ({ en: `needs ${what}`, zh: `需要 ${what}` });

export const findings = (count: number, marked: number): Text => ({
  en: `${plural(count, "finding")}, ${marked} of them to be agreed to one by one (!):`,
  zh: `${count} 项发现，其中 ${marked} 项需要逐一同意（!）：`,
});

export const CHANGES: Readonly<Record<SkillDifference["change"], Text>> = {
  added: { en: "added", zh: "新增" },
  removed: { en: "removed", zh: "删除" },
  changed: { en: "changed", zh: "更改" },
};

export const moreLines = (count: number): Text => ({
  en: `… ${plural(count, "more line")}; --verbose shows them all`,
  zh: `…… 还有 ${count} 行；--verbose 显示全部`,
});

export const sameSkill = (name: string, version: string): Text => ({
  en: `${name} ${version} is installed already, byte for byte.`,
  zh: `${name} ${version} 已安装，逐字节相同。`,
});

export const installed = (name: string, folder: string): Text => ({
  en: `${name} is installed in ${folder}. It is offered in the next conversation.`,
  zh: `${name} 已安装到 ${folder}。下一次对话开始提供。`,
});

export const keptOld = (folder: string): Text => ({
  en: `What was there before is kept in ${folder}.`,
  zh: `之前的内容保存在 ${folder}。`,
});

export const wouldInstall = (name: string): Text => ({ en: `${name} would be installed.`, zh: `将会安装 ${name}。` });

export const askRemove = (name: string): Text => ({
  en: `Take the skill ${name} out of use? It is kept in the archive.`,
  zh: `停用技能 ${name} 吗？它会保存在存档中。`,
});

export const wouldRemove = (name: string): Text => ({ en: `${name} would be removed.`, zh: `将会移除 ${name}。` });

export const removedSkill = (name: string, folder: string): Text => ({
  en: `${name} is not offered any more; it is kept in ${folder}.`,
  zh: `不再提供 ${name}；它保存在 ${folder}。`,
});

export const bringBack = (folder: string): Step => ({
  do: "bring-back",
  text: { en: "To bring it back:", zh: "要恢复它：" },
  command: `evander skill install ${shellWord(folder)}`,
});

export const notRemovable = (name: string, root: "bundled" | "project", folder: string): Text =>
  root === "bundled"
    ? {
        en: `${name} came with the program and cannot be removed; it can be switched off.`,
        zh: `${name} 随程序提供，无法移除；可以关闭它。`,
      }
    : {
        en: `${name} belongs to the project: remove it there, in ${folder}, or switch it off.`,
        zh: `${name} 属于项目：请在 ${folder} 中移除，或关闭它。`,
      };

export const switchOff = (names: readonly string[]): Step => ({
  do: "configure",
  text: { en: "To switch it off:", zh: "要关闭它：" },
  command: `evander config set skills.off ${shellWord(names.join(","))}`,
});

export const LIST_SKILLS: Step = {
  do: "list",
  text: { en: "See which skills there are.", zh: "查看有哪些技能。" },
  command: "evander skill list",
};

/** What was read before a change was asked for, and by whom. */
export const proposedBy = (tool: string, session: string | undefined): Text => ({
  en: `after ${tool} had brought others' words${session === undefined ? "" : `, session ${session}`}`,
  zh: `在 ${tool} 带来他人的内容之后${session === undefined ? "" : `，会话 ${session}`}`,
});

/** Why nothing was installed. Names come from strangers: whoever prints them spells them out. */
export function installRefusal(refusal: InstallRefusal): Text {
  const { en, zh } = whyUnfit(refusal);
  return { en: `${en} Nothing was installed.`, zh: `${zh}没有安装任何内容。` };
}

/** Why a source cannot be installed, nor looked through. */
export function whyUnfit(refusal: InstallRefusal): Text {
  switch (refusal.why) {
    case "bad-path":
    case "long-path":
    case "no-file":
    case "twice":
    case "file-size":
      return ENTRY[refusal.why](JSON.stringify(refusal.path));
    case "entries":
      return { en: "It holds more than 1,000 files and folders.", zh: "其中的文件和文件夹超过 1,000 个。" };
    case "size":
      return { en: "Its files are larger than 16 MiB together.", zh: "其中的文件总共超过 16 MiB。" };
    case "unreadable":
    case "archive":
    case "git":
      return UNREAD[refusal.why](refusal.path, refusal.said);
    case "source":
    case "no-commit":
    case "absent":
    case "address-key":
    case "protocol":
      return SOURCE[refusal.why](JSON.stringify(refusal.source));
    case "no-skill":
      return noSkill(refusal.folders);
    case "front-matter":
      return inBoth(refusal.trouble);
    case "dangerous": {
      const found = refusal.findings.map(({ id, file }) => `${id} (${JSON.stringify(file)})`).join(", ");
      return { en: `It holds what no skill may: ${found}.`, zh: `其中有技能不得包含的内容：${found}。` };
    }
    case "manifest":
      return MANIFEST[refusal.what];
    case "manifest-file":
      return MANIFEST_FILE[refusal.what](JSON.stringify(refusal.path));
    default:
      return NAMED[refusal.why]("name" in refusal ? refusal.name : refusal.version);
  }
}

const ENTRY = {
  "bad-path": (path: string): Text => ({
    en: `It holds the name ${path}, which leads out of its folder or means something else on some system.`,
    zh: `其中的名称 ${path} 会离开它的文件夹，或在某些系统上另有含义。`,
  }),
  "long-path": (path: string): Text => ({
    en: `It holds a name that is too long: ${path}.`,
    zh: `其中的名称太长：${path}。`,
  }),
  "no-file": (path: string): Text => ({
    en: `${path} in it is a link, a device, a program that runs as its owner, or something else that is no plain file.`,
    zh: `其中的 ${path} 是链接、设备、以所有者身份运行的程序或其他不是普通文件的东西。`,
  }),
  twice: (path: string): Text => ({
    en: `It holds ${path} twice, or two names that some disks take for one.`,
    zh: `其中 ${path} 出现两次，或有两个会被某些磁盘视为相同的名称。`,
  }),
  "file-size": (path: string): Text => ({
    en: `${path} in it is larger than 1 MiB.`,
    zh: `其中的 ${path} 超过 1 MiB。`,
  }),
};

const UNREAD = {
  unreadable: (path: string, said: string): Text => ({
    en: `${path} cannot be read (${said}).`,
    zh: `无法读取 ${path}（${said}）。`,
  }),
  archive: (path: string, said: string): Text => ({
    en: `${path} cannot be used: ${said}.`,
    zh: `无法使用 ${path}：${said}。`,
  }),
  git: (path: string, said: string): Text => ({
    en: `git could not get the commit from ${path} (${said}).`,
    zh: `git 无法从 ${path} 取得该提交（${said}）。`,
  }),
};

const SOURCE = {
  source: (source: string): Text => ({
    en: `${source} is no folder and no .tar, .tar.gz or .tgz.`,
    zh: `${source} 不是文件夹，也不是 .tar、.tar.gz 或 .tgz。`,
  }),
  "no-commit": (source: string): Text => ({
    en: `${source} names no commit: write the address, a #, and the 40 digits of the commit; branches and tags can be moved by others.`,
    zh: `${source} 没有指明提交：请写地址、# 和提交的 40 位编号；分支和标签可能被他人移动。`,
  }),
  absent: (source: string): Text => ({ en: `There is no ${source} here.`, zh: `这里没有 ${source}。` }),
  "address-key": (source: string): Text => ({
    en: `The address of ${source} holds a name or password, which would be kept with the skill: let git know it instead.`,
    zh: `${source} 的地址中含有用户名或密码，它会随技能保存：请改为让 git 知道它。`,
  }),
  protocol: (source: string): Text => ({
    en: `${source} is no https:, ssh: or file: address.`,
    zh: `${source} 不是 https:、ssh: 或 file: 地址。`,
  }),
};

function noSkill(folders: readonly string[]): Text {
  const there = folders.join(", ");
  return folders.length === 0
    ? { en: "There is no SKILL.md in it.", zh: "其中没有 SKILL.md。" }
    : {
        en: `There is no SKILL.md in it, but there are in: ${there}. Name that folder (of a repository behind the commit and a colon).`,
        zh: `其中没有 SKILL.md，但这些文件夹里有：${there}。请指明该文件夹（对仓库写在提交和冒号之后）。`,
      };
}

const MANIFEST = {
  broken: { en: "Its manifest.json is no manifest.", zh: "它的 manifest.json 不是清单。" },
  id: {
    en: "Its manifest.json and its SKILL.md give it two names.",
    zh: "它的 manifest.json 和 SKILL.md 给出了两个名称。",
  },
  version: {
    en: "Its manifest.json and its SKILL.md give it two versions.",
    zh: "它的 manifest.json 和 SKILL.md 给出了两个版本。",
  },
} as const satisfies Record<string, Text>;

const MANIFEST_FILE = {
  missing: (path: string): Text => ({
    en: `${path} is in its manifest and not there.`,
    zh: `${path} 在清单中，但不存在。`,
  }),
  extra: (path: string): Text => ({
    en: `${path} is there and not in its manifest.`,
    zh: `${path} 存在，但不在清单中。`,
  }),
  changed: (path: string): Text => ({
    en: `${path} is not what its manifest says.`,
    zh: `${path} 与清单所述不符。`,
  }),
};

const NAMED = {
  "same-version": (version: string): Text => ({
    en: `The installed skill has the same version, ${version}, and other bytes: an update needs a new version.`,
    zh: `已安装的技能版本同为 ${version}，但内容不同：更新需要新的版本号。`,
  }),
  bundled: (name: string): Text => ({
    en: `${name} is the name of a skill that came with the program.`,
    zh: `${name} 是随程序提供的技能的名称。`,
  }),
  revoked: (line: string): Text => ({
    en: `The line ${JSON.stringify(line)} of skills-revoked revokes it.`,
    zh: `skills-revoked 中的 ${JSON.stringify(line)} 撤销了它。`,
  }),
};
