import type { Text } from "./language.ts";

/** What is said about a prompt, and about what is handed in with it, before any model is asked. */
export const PROMPT_WORDS: Readonly<
  Record<
    | "none"
    | "typeIt"
    | "stdinTwice"
    | "sessionTwice"
    | "messagesNeedJson"
    | "quietAndVerbose"
    | "toolsAndNone"
    | "badKey",
    Text
  >
> = {
  none: {
    en: 'There is no prompt: write it behind -p, as in -p "what to do", or pipe a text in.',
    zh: '没有提示：写在 -p 后面，例如 -p "要做什么"，或用管道传入文本。',
  },
  typeIt: {
    en: "Type the prompt; Ctrl-D on a line of its own ends it.",
    zh: "请输入提示；单独一行按 Ctrl-D 结束。",
  },
  stdinTwice: {
    en: 'stdin cannot be the prompt and an attachment: write the prompt behind -p, or leave out "-f -".',
    zh: 'stdin 不能既是提示又是附件：把提示写在 -p 后面，或去掉 "-f -"。',
  },
  sessionTwice: {
    en: "--new begins a session and --resume goes on with one: leave one of them out.",
    zh: "--new 开始新会话，--resume 继续已有会话：去掉其中一个。",
  },
  messagesNeedJson: {
    en: "--messages are part of the result object: add --output json or --output jsonl.",
    zh: "--messages 是结果对象的一部分：请加上 --output json 或 --output jsonl。",
  },
  quietAndVerbose: {
    en: "--quiet and --verbose exclude each other: leave one of them out.",
    zh: "--quiet 与 --verbose 互斥：去掉其中一个。",
  },
  toolsAndNone: {
    en: "--tools names tools and --no-tools wants none: leave one of them out.",
    zh: "--tools 指定工具，而 --no-tools 不要任何工具：去掉其中一个。",
  },
  badKey: {
    en: "--idempotency-key takes 1 to 200 characters without white space.",
    zh: "--idempotency-key 需要 1 到 200 个不含空白的字符。",
  },
};

/** A flag that needs a session to be kept, beside --no-save. */
export const keepsNothing = (flag: string): Text => ({
  en: `--no-save keeps nothing, and ${flag} needs what is kept: leave one of them out.`,
  zh: `--no-save 不保存任何内容，而 ${flag} 需要已保存的内容：去掉其中一个。`,
});

export const promptOnly = (flag: string): Text => ({
  en: `${flag} is for one prompt: add -p "what to do".`,
  zh: `${flag} 只用于单个提示：请加上 -p "要做什么"。`,
});

export const promptTooLong = (source: string, size: string, most: string): Text => ({
  en: `The prompt from ${source} has ${size}, and ${most} are the most: attach the bulk of it instead, with -f FILE or behind words (-p "explain" < FILE).`,
  zh: `来自 ${source} 的提示有 ${size}，上限是 ${most}：请把大部分内容作为附件，用 -f FILE，或跟在文字后面（-p "解释" < FILE）。`,
});

export const noSuchFile = (path: string, why: Text): Text => ({
  en: `${path} cannot be read (${why.en}): name a file that is there; words of the prompt stand before -f.`,
  zh: `无法读取 ${path}（${why.zh}）：请指定存在的文件；提示的文字写在 -f 之前。`,
});

export const noSuchPromptFile = (path: string, why: Text): Text => ({
  en: `The prompt file ${path} cannot be read (${why.en}); a prompt that is to begin with "@" is written with a space in front.`,
  zh: `无法读取提示文件 ${path}（${why.zh}）；以 "@" 开头的提示请在前面加一个空格。`,
});

export const stdinUnreadable = (why: Text): Text => ({
  en: `stdin cannot be read (${why.en}): give it a file or a pipe, or close it with < /dev/null.`,
  zh: `无法读取 stdin（${why.zh}）：请给它一个文件或管道，或用 < /dev/null 关闭。`,
});

export const notText = (name: string, kind: Text): Text => ({
  en: `${name} is ${kind.en}, and only text can be handed in: turn it into text first. Nothing was sent.`,
  zh: `${name} 是 ${kind.zh}，只能附上文本：请先把它转换成文本。没有发送任何内容。`,
});

export const unreadableDocument = (name: string, kind: Text): Text => ({
  en: `${name} is ${kind.en}, and documents cannot be read yet: turn it into text first (pdftotext ${name} -) and pipe that in.`,
  zh: `${name} 是 ${kind.zh}，目前还不能读取文档：请先转换成文本（pdftotext ${name} -）再用管道传入。`,
});

export const notAPicture = (url: string): Text => ({
  en: `${url} does not end like a picture (png, jpg, gif, webp), and only pictures are taken by address: fetch the text and pipe it in.`,
  zh: `${url} 不像图片地址（png、jpg、gif、webp），只有图片可以用网址：请先取得文本再用管道传入。`,
});

export const tooManyFiles = (count: number, most: number): Text => ({
  en: `${count} files are attached, and ${most} are the most: name the folder in the prompt and let the tools read them.`,
  zh: `附上了 ${count} 个文件，上限是 ${most} 个：请在提示中写出文件夹，让工具来读取。`,
});

/** Said beside the turn: what was handed in is larger than what is sent. */
export const attachmentCut = (name: string, size: string, kept: string): Text => ({
  en: `${name} has ${size}: its first and last ${kept} are sent, and a line that says what is missing.`,
  zh: `${name} 有 ${size}：只发送开头和结尾各 ${kept}，并注明缺少的部分。`,
});

/** Stands in an attachment for the middle that is not sent; for the model. */
export const leftOut = (size: string): string => `[… ${size} left out here …]`;

export const silentStdin = (wait: string): Text => ({
  en: `Nothing came on stdin within ${wait}, so the prompt goes without it; -f - waits for it, < /dev/null says there is none.`,
  zh: `${wait}内 stdin 没有内容，因此提示不带它发送；-f - 会一直等待，< /dev/null 表示没有。`,
});

export const keyReused = (key: string, sessionId: string): Text => ({
  en: `The idempotency key ${key} belongs to another prompt, in session ${sessionId}: take another key for this one.`,
  zh: `幂等键 ${key} 属于另一个提示（会话 ${sessionId}）：请为这个提示换一个键。`,
});

export const replayed = (key: string): Text => ({
  en: `The key ${key} was answered before: this is the stored result, and no model was asked.`,
  zh: `键 ${key} 之前已有回答：这是保存的结果，没有询问模型。`,
});
