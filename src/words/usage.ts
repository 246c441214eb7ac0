import type { Text } from "./language.ts";

/** What the parser of command lines says, by its code; the texts in quotes stand where they are named. */
const IN_CHINESE: Readonly<Record<string, (...named: readonly string[]) => string>> = {
  "commander.unknownOption": (option = "") => `未知的选项 ${option}`,
  "commander.unknownCommand": (command = "") => `未知的命令 ${command}`,
  "commander.missingArgument": (argument = "") => `缺少参数 ${argument}`,
  "commander.optionMissingArgument": (option = "") => `选项 ${option} 缺少值`,
  "commander.missingMandatoryOptionValue": (option = "") => `缺少必需的选项 ${option}`,
  "commander.excessArguments": () => "参数过多",
};

/** A command line that was not understood: the parser's own sentence, and the same in Chinese. */
export function usageSentence(code: string, message: string): Text {
  const named = [...message.matchAll(/'([^']*)'/gu)].map(([, name = ""]) => name);
  const hint = /\(Did you mean (?:one of )?([^?]*)\?\)/u.exec(message)?.[1];
  const zh = IN_CHINESE[code]?.(...named) ?? `无法理解命令行（${message}）`;
  return { en: message, zh: hint === undefined ? zh : `${zh}（也许是 ${hint}）` };
}

/** It is not said again, nor offered as a prompt. */
export const KEY_ON_LINE: Text = {
  en: "A key does not stand on the command line, where others see it: it is typed at the prompt, or comes on stdin",
  zh: "密钥不能写在命令行上，别人会看到：请在提示处输入，或从标准输入给出",
};

export const dashedPrompt: Text = {
  en: '. A prompt that begins with "-" is written --prompt="-…"',
  zh: '。以 "-" 开头的提示请写成 --prompt="-…"',
};

export const noSuchCommand = (words: string): Text => ({
  en: `There is no command ${JSON.stringify(words)}.`,
  zh: `没有命令 ${JSON.stringify(words)}。`,
});

export const notYet = (words: string): Text => ({
  en: `The command ${JSON.stringify(words)} does not exist yet.`,
  zh: `命令 ${JSON.stringify(words)} 还不存在。`,
});

export const noFolder = (cwd: string): Text => ({
  en: `--cwd ${cwd} is not a folder: name an existing one.`,
  zh: `--cwd ${cwd} 不是文件夹：请指定一个存在的文件夹。`,
});

export const NOBODY_TO_ASK: Text = {
  en: "Nobody can be asked here: add --yes to do it, or --dry-run to see what would change.",
  zh: "这里无人可问：加 --yes 执行，或加 --dry-run 查看会改变什么。",
};

export const NOTHING_UNFINISHED: Text = {
  en: "The last turn of this session has ended: there is nothing to go on with.",
  zh: "此会话的上一轮已经结束：没有可以继续的内容。",
};

export const STOPPED_EARLY: Text = { en: "Stopped before the turn began.", zh: "在本轮开始之前被停止。" };

export const BLANK_PROMPT: Text = {
  en: "The prompt is empty: write what you want to be done.",
  zh: "提示是空的：请写出要做的事。",
};

export const pictureTooLarge = (megabytes: number, most: number): Text => ({
  en: `A picture of the message has ${megabytes} MB, and a picture may have ${most} MB: save it smaller, or as JPEG, and send that.`,
  zh: `消息中的一张图片有 ${megabytes} MB，而图片最多 ${most} MB：请另存为较小的图片或 JPEG 再发送。`,
});

export const AGENT_CLOSED: Text = {
  en: "This agent is closed: make a new one with agent().",
  zh: "此 agent 已关闭：请用 agent() 新建一个。",
};

export const TOO_MANY_FILES: Text = {
  en: "This process may open no more files; allow it more (ulimit -n 4096) and try again.",
  zh: "本进程不能再打开更多文件；请提高上限（ulimit -n 4096）后重试。",
};

export const WORDLESS_DEFECT: Text = { en: "Something failed without a word.", zh: "出现了没有说明的错误。" };
