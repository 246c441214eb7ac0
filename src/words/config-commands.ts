import type { EditFault, ProfileProblem } from "../protocol/setting.ts";
import type { Text } from "./language.ts";
import type { Step } from "./steps.ts";

const step = (en: string, zh: string, command: string): Step => ({ do: "configure", text: { en, zh }, command });

export const CONFIG_STEPS: Readonly<Record<"listTrust" | "showAll" | "check", Step>> = {
  listTrust: step("See the list.", "查看列表。", "evander trust list"),
  showAll: step("See every setting.", "查看所有设置。", "evander config show"),
  check: step("Then check it.", "然后检查它。", "evander config check"),
};

/** What the commands about settings, profiles, trust and keys say. */
export const CONFIG_WORDS = {
  nothingChanged: { en: "Nothing was changed.", zh: "没有任何更改。" },
  nobodyTrusted: { en: "No folder is trusted.", zh: "没有受信任的文件夹。" },
  noProfile: {
    en: "There is no profile: evander profile add NAME begins one.",
    zh: "没有配置档：evander profile add 名称 可以新建一个。",
  },
  noKey: {
    en: "The config names no key: evander auth login PROVIDER keeps one.",
    zh: "配置没有提到密钥：evander auth login 提供方 可以保存一个。",
  },
  noKeyGiven: {
    en: "That is no key: a key is one word, given on stdin or at the prompt.",
    zh: "这不是密钥：密钥是一个词，从标准输入或提示处给出。",
  },
  nothingKept: { en: "Nothing was kept.", zh: "没有保存任何内容。" },
  others: (count: number): Text => ({
    en: count === 0 ? "" : ` And ${count} more: evander config check.`,
    zh: count === 0 ? "" : `还有 ${count} 处：evander config check。`,
  }),
  right: (files: readonly string[]): Text => ({
    en: `The config is right${files.length === 0 ? "" : `: ${files.join(", ")}`}.`,
    zh: `配置正确${files.length === 0 ? "" : `：${files.join("、")}`}。`,
  }),
  severity: { error: { en: "error", zh: "错误" }, warning: { en: "warning", zh: "警告" } },
  notSet: (key: string, usually: string): Text => ({
    en: `${key} is not set; as usual: ${usually}.`,
    zh: `${key} 没有设置；默认：${usually}。`,
  }),
  noSetting: (key: string): Text => ({ en: `There is no setting ${key}.`, zh: `没有设置 ${key}。` }),
  locked: (key: string, place: string): Text => ({
    en: `${key} is locked by ${place}.`,
    zh: `${key} 已被 ${place} 锁定。`,
  }),
  takenOut: (key: string, file: string): Text => ({
    en: `${key} is taken out of ${file}`,
    zh: `已从 ${file} 去掉 ${key}`,
  }),
  notWritten: { en: "(not written)", zh: "（未写入）" },
  shadowed: (key: string, place: string): Text => ({
    en: `${key} is set by ${place} too, which wins.`,
    zh: `${key} 也由 ${place} 设置，以它为准。`,
  }),
  notChanged: (file: string, fault: Text): Text => ({
    en: `${file} is not changed: ${fault.en}`,
    zh: `没有更改 ${file}：${fault.zh}`,
  }),
  noTerminal: (file: string): Text => ({
    en: `An editor needs a terminal, and this is none: edit ${file}.`,
    zh: `编辑器需要终端，而这里不是终端：请编辑 ${file}。`,
  }),
  editorFailed: (editor: string, code: number | null): Text => ({
    en: `The editor ${editor} ended with ${code ?? "a signal"}: name one that is there in VISUAL or EDITOR.`,
    zh: `编辑器 ${editor} 以 ${code ?? "信号"} 结束：请在 VISUAL 或 EDITOR 中指定一个可用的编辑器。`,
  }),
  trustQuestion: (folder: string): Text => ({
    en: `Trust ${folder}: read its config, and tell models its instruction files (AGENTS.md and the like) and its skills, from now on?`,
    zh: `信任 ${folder}，以后读取它的配置，并把它的说明文件（AGENTS.md 等）和技能告诉模型吗？`,
  }),
  noConfigYet: (file: string): Text => ({
    en: `${file} does not exist: as yet, no config would be read.`,
    zh: `${file} 不存在：目前不会读取任何配置。`,
  }),
  moreLines: (count: number): Text => ({ en: `… and ${count} more lines`, zh: `……还有 ${count} 行` }),
  trusted: (folder: string): Text => ({ en: `trusted: ${folder}`, zh: `已信任：${folder}` }),
  wouldTrust: (folder: string): Text => ({ en: `${folder} would be trusted`, zh: `将会信任 ${folder}` }),
  distrusted: (folder: string): Text => ({ en: `not trusted any more: ${folder}`, zh: `不再信任：${folder}` }),
  wouldDistrust: (folder: string): Text => ({
    en: `${folder} would not be trusted any more`,
    zh: `将不再信任 ${folder}`,
  }),
  noFolder: (folder: string): Text => ({
    en: `${folder} is no folder that can be trusted.`,
    zh: `${folder} 不是可以信任的文件夹。`,
  }),
  notTrusted: (folder: string): Text => ({
    en: `${folder} is not on the list of trusted folders.`,
    zh: `${folder} 不在受信任文件夹的列表中。`,
  }),
  notThereYet: { en: "(not there yet)", zh: "（还不存在）" },
  notThere: { en: "(not there)", zh: "（不存在）" },
  begun: (name: string, folder: string): Text => ({
    en: `${name} is a profile now: ${folder}`,
    zh: `${name} 现在是一个配置档：${folder}`,
  }),
  wouldBegin: (folder: string): Text => ({ en: `${folder} would be made`, zh: `将会创建 ${folder}` }),
  noProviderName: (name: string): Text => ({
    en: `${name} is no name of a provider: letters, digits, - and _.`,
    zh: `${name} 不是提供方的名称：只能用字母、数字、- 和 _。`,
  }),
  keyOf: (provider: string): Text => ({ en: `Key of ${provider}: `, zh: `${provider} 的密钥：` }),
  noKeyOf: (provider: string, file: string): Text => ({
    en: `No key of ${provider} is kept in ${file}.`,
    zh: `${file} 中没有保存 ${provider} 的密钥。`,
  }),
  keyGone: (provider: string): Text => ({
    en: `The key of ${provider} is not kept any more.`,
    zh: `不再保存 ${provider} 的密钥。`,
  }),
  byHand: (command: string): Step => step("Change it by hand.", "手动更改。", `${command} edit`),
  meant: (command: string): Step => step("Perhaps this was meant.", "也许想写的是这个。", command),
} as const;

export function editFaultSentence(fault: EditFault): Text {
  switch (fault.type) {
    case "no-yaml":
      return { en: "it is no YAML now; mend it by hand first.", zh: "它现在不是 YAML；请先手动修正。" };
    case "no-config":
      return { en: "it is no config now; mend it by hand first.", zh: "它现在不是配置；请先手动修正。" };
    case "alias":
      return {
        en: `${fault.key} stands there as an alias; change it by hand.`,
        zh: `${fault.key} 在那里是别名；请手动更改。`,
      };
    case "group-is-a-value":
      return {
        en: `a group of ${fault.key} holds a value there; change it by hand.`,
        zh: `${fault.key} 的某个组在那里是一个值；请手动更改。`,
      };
    case "not-set":
      return { en: `${fault.key} is not set there.`, zh: `那里没有设置 ${fault.key}。` };
  }
}

export function profileSentence(problem: ProfileProblem): Text {
  const { name } = problem;
  switch (problem.type) {
    case "no-profile-name": {
      const shown = JSON.stringify(name.slice(0, 60));
      return {
        en: `The name of a profile is 1 to 40 small letters, digits, - and _; it is ${shown}.`,
        zh: `配置档的名称是 1 到 40 个小写字母、数字、- 和 _；现在是 ${shown}。`,
      };
    }
    case "no-profile": {
      const { meant } = problem;
      return {
        en: `There is no profile ${name}.${meant === undefined ? "" : ` Perhaps ${meant} was meant.`}`,
        zh: `没有配置档 ${name}。${meant === undefined ? "" : `也许想写的是 ${meant}。`}`,
      };
    }
  }
}

export function profileSteps({ type, name }: ProfileProblem): readonly Step[] {
  if (type === "no-profile-name") return [];
  return [
    step("See the profiles there are.", "查看已有的配置档。", "evander profile list"),
    step("Begin a profile of this name.", "新建这个名称的配置档。", `evander profile add ${name}`),
  ];
}
