import type { Text } from "./language.ts";

/** What `context show` says. */
export const CONTEXT_WORDS: Readonly<
  Record<"part" | "tokens" | "source" | "program" | "tools" | "history" | "sum" | "noModel", Text>
> = {
  part: { en: "part", zh: "部分" },
  tokens: { en: "tokens", zh: "token" },
  source: { en: "from", zh: "来源" },
  program: { en: "the program", zh: "程序" },
  tools: { en: "tools", zh: "工具" },
  history: { en: "messages", zh: "消息" },
  sum: { en: "next request, about", zh: "下一个请求，约" },
  noModel: { en: "no model was found", zh: "没有找到模型" },
};

export const TIERS: Readonly<Record<"stable" | "context" | "volatile", Text>> = {
  stable: { en: "stable", zh: "稳定" },
  context: { en: "context", zh: "上下文" },
  volatile: { en: "volatile", zh: "易变" },
};

/** `who`: the model, or that there is none. */
export const contextHead = (sessionId: string | null, who: string): Text =>
  sessionId === null
    ? { en: `What a new session here would be sent · ${who}`, zh: `在此新建会话时会发送的内容 · ${who}` }
    : { en: `What session ${sessionId} is sent · ${who}`, zh: `会话 ${sessionId} 会发送的内容 · ${who}` };

interface Amounts {
  readonly messages: number;
  readonly sent: number;
  /** Of all that was said, tokens. */
  readonly tokens: number;
}

export const historyWords = ({ messages, sent, tokens }: Amounts): Text =>
  messages === sent
    ? { en: `${messages}`, zh: `${messages}` }
    : { en: `${sent} of ${messages}, ${tokens} tokens`, zh: `${messages} 条中的 ${sent} 条，共 ${tokens} token` };

interface LeftOut {
  readonly leftOut: number;
  readonly shortened: number;
  readonly summary: boolean;
}

export function compactionWords({ leftOut, shortened, summary }: LeftOut): Text {
  const instead = summary ? { en: ", a summary stands for them", zh: "，由摘要代替" } : { en: "", zh: "" };
  return {
    en: `Left out to save room: ${leftOut} messages${instead.en}; results among ${shortened} more are cut to a line.`,
    zh: `为节省空间省略了 ${leftOut} 条消息${instead.zh}；另外 ${shortened} 条中的结果被缩短为一行。`,
  };
}

export const windowWords = (percent: string, window: number): Text => ({
  en: `${percent} % of a window of ${window} tokens`,
  zh: `${window} token 窗口的 ${percent} %`,
});

export const reportedWords = (tokens: number): Text => ({
  en: `The newest request and its reply took ${tokens} tokens, as the server reported.`,
  zh: `服务器报告：最近的请求和回复共用了 ${tokens} token。`,
});

export const COUNTED: Text = {
  en: "Counted with the model's own tokenizer.",
  zh: "用模型自己的分词器计数。",
};

/** Where the prompt of a session comes from. */
export const PROMPT_FROM: Readonly<Record<"kept" | "rebuilt", Text>> = {
  kept: {
    en: "The prompt is kept with the session: what its files say now is for new sessions.",
    zh: "提示随会话保存：文件现在的内容只用于新会话。",
  },
  rebuilt: {
    en: "The prompt that the session keeps is for another model or folder: it is built anew when it goes on here.",
    zh: "会话保存的提示用于另一个模型或文件夹：在此继续时会重新生成。",
  },
};
