import type { HistoryCompacted } from "../protocol/fact.ts";
import { plural } from "../protocol/plural.ts";
import type { Text } from "./language.ts";

/** How a command is written and what it does. */
interface CommandWords {
  /** What stands behind it; "" when it takes nothing. */
  readonly takes: Text;
  readonly meaning: Text;
}

const NOTHING: Text = { en: "", zh: "" };

const command = (en: string, zh: string, takes: Text = NOTHING): CommandWords => ({ takes, meaning: { en, zh } });

const MESSAGE: Text = { en: "MESSAGE", zh: "消息" };
const MAYBE_MESSAGE: Text = { en: "[MESSAGE]", zh: "[消息]" };
const MAYBE_COUNT: Text = { en: "[N]", zh: "[N]" };
const MAYBE_CALL: Text = { en: "[ID] [session|always]", zh: "[编号] [session|always]" };
const MAYBE_STOP: Text = { en: "[ID] [stop]", zh: "[编号] [stop]" };

export type CommandWord =
  | "help"
  | "stop"
  | "steer"
  | "queue"
  | "redirect"
  | "approve"
  | "deny"
  | "retry"
  | "edit"
  | "back"
  | "redo"
  | "fork"
  | "tree"
  | "why"
  | "turn"
  | "cost"
  | "cache"
  | "diff"
  | "files"
  | "undo"
  | "status"
  | "todo"
  | "tools"
  | "model"
  | "new"
  | "resume"
  | "sessions"
  | "skills"
  | "compact"
  | "title"
  | "export"
  | "config"
  | "memory"
  | "doctor"
  | "quit";

/** The slash commands, by name. */
export const COMMAND_WORDS: Readonly<Record<CommandWord, CommandWords>> = {
  help: command("what can be typed here", "这里可以输入什么", { en: "[COMMAND]", zh: "[命令]" }),
  stop: command(
    "stop the turn and deny what it asks, as Ctrl-C does; then answer the message",
    "停止本轮并拒绝它的请求，与 Ctrl-C 相同；然后回答该消息",
    MAYBE_MESSAGE,
  ),
  steer: command(
    "tell the turn that runs something; it reads it with the next tool result",
    "告诉正在运行的这一轮；它会随下一个工具结果读到",
    MESSAGE,
  ),
  queue: command("send it when the turn that runs has ended", "等正在运行的这一轮结束后再发送", MESSAGE),
  redirect: command(
    "correct the turn that runs: what the model is just saying is dropped, and it is asked again",
    "纠正正在运行的这一轮：模型正在说的内容会被丢弃，然后重新询问",
    MESSAGE,
  ),
  approve: command("allow the call that waits", "允许等待中的调用", MAYBE_CALL),
  deny: command("deny the call that waits", "拒绝等待中的调用", MAYBE_STOP),
  retry: command(
    "ask the last message again, in a branch of its own: what was answered stays in the other one",
    "在新的分支中再次询问上一条消息：原来的回答保留在原会话中",
  ),
  edit: command(
    "bring the last message back to change it, or the N-th from the end; it is sent in a branch of its own",
    "取回上一条（或倒数第 N 条）消息以便修改；它会在新的分支中发送",
    MAYBE_COUNT,
  ),
  back: command(
    "go on from before the last message, or the N-th from the end, in a branch of its own; files stay (/undo)",
    "在新的分支中从上一条（或倒数第 N 条）消息之前继续；文件不变（/undo）",
    MAYBE_COUNT,
  ),
  redo: command("return to the session that this branch has left", "返回本分支所离开的会话"),
  fork: command(
    "go on in a branch of its own, from here or as /back does",
    "在新的分支中继续：从此处，或像 /back 那样",
    MAYBE_COUNT,
  ),
  tree: command("this conversation with all its branches", "本对话及其所有分支"),
  why: command("why the last turn ended as it did, and what helps", "上一轮为什么这样结束，以及怎么办"),
  turn: command(
    "the picture of the last turn: what took how long, and what came of it",
    "上一轮的图：每一步用了多久，结果如何",
  ),
  cost: command("tokens of the last turn and of this conversation", "上一轮和本次对话的用量"),
  cache: command(
    "what the prompt cache brought in the last turn, and why where it brought less than it could",
    "上一轮从提示缓存读取了多少，以及少读的原因",
  ),
  diff: command("what the last turn changed on the disk", "上一轮对磁盘的改动"),
  files: command("which files the last turn changed", "上一轮改动了哪些文件"),
  undo: command(
    "what it takes to put files back to before the last turn; with -y, does it",
    "把文件恢复到上一轮之前会改动什么；加 -y 执行",
    { en: "[-y]", zh: "[-y]" },
  ),
  status: command("session, model, folder, and what the turn waits for", "会话、模型、文件夹，以及本轮在等什么"),
  todo: command("the todo list", "待办清单"),
  tools: command("what the model can do here", "模型在这里能做什么"),
  model: command("show the model, or use another one from the next turn on", "显示模型，或从下一轮起换一个模型", {
    en: "[NAME [PROVIDER]]",
    zh: "[名称 [服务商]]",
  }),
  new: command("begin a new session", "开始新会话"),
  resume: command("go on with another session: its id, or words of its title", "继续另一个会话：编号或标题中的词", {
    en: "[SESSION]",
    zh: "[会话]",
  }),
  sessions: command("the newest sessions", "最近的会话"),
  skills: command("the skills there are, or one as the model reads it", "列出技能，或显示模型读到的某个技能", {
    en: "[NAME]",
    zh: "[名称]",
  }),
  compact: command(
    "send a summary instead of the old conversation; what holds the words is kept, or what they speak of told at length",
    "以摘要代替旧的对话；包含这些词的部分会保留，否则摘要会详述这些词所说的内容",
    { en: "[WHAT TO KEEP]", zh: "[保留什么]" },
  ),
  title: command("call this session so", "给本会话起名", { en: "TITLE", zh: "标题" }),
  export: command(
    "write this session into a new file: .md to be read, .json for OpenAI's form, else lossless JSON lines",
    "把本会话写入新文件：.md 便于阅读，.json 为 OpenAI 格式，其他为无损 JSON 行",
    { en: "FILE", zh: "文件" },
  ),
  config: command("show settings, or whatever evander config does", "显示设置，或执行 evander config 的任何操作", {
    en: "[WORDS]",
    zh: "[参数]",
  }),
  memory: command(
    "what is remembered from session to session, or whatever evander memory does",
    "跨会话记住的内容，或执行 evander memory 的任何操作",
    { en: "[WORDS]", zh: "[参数]" },
  ),
  doctor: command(
    "check the program and its providers, as evander doctor does",
    "检查程序和服务商，与 evander doctor 相同",
    {
      en: "[WORDS]",
      zh: "[参数]",
    },
  ),
  quit: command("leave; so does Ctrl-D", "离开；Ctrl-D 也可以"),
};

export const HELP_END: readonly Text[] = [
  {
    en: "!COMMAND  run it in the folder, as yourself; the model is told with your next message",
    zh: "!命令  以你的身份在文件夹中运行；模型会随你的下一条消息得知",
  },
  { en: "@FILE  attach the text of a file", zh: "@文件  附上文件的文本" },
  {
    en: "/SKILL MESSAGE  send it with that skill loaded; so does $SKILL in a message",
    zh: "/技能 消息  载入该技能后发送；消息中写 $技能 也可以",
  },
  {
    en: 'A message that begins with a command: put a space in front of the "/" or "!".',
    zh: "以命令开头的消息：在 “/” 或 “!” 前加一个空格。",
  },
  {
    en: "While a turn runs: Enter steers it, Ctrl-C stops it, twice leaves. Alt-Up takes a queued message back.",
    zh: "运行时：Enter 插话，Ctrl-C 停止，按两次离开。Alt-Up 取回排队的消息。",
  },
  {
    en: "Esc twice on an empty line brings the last message back to change it, as /edit does.",
    zh: "在空行上按两次 Esc 取回上一条消息以便修改，与 /edit 相同。",
  },
  {
    en: "A new line: \\ and Enter, Alt-Enter or Ctrl-J. Earlier messages: Up.",
    zh: "换行：\\ 加 Enter、Alt-Enter 或 Ctrl-J。之前的消息：向上键。",
  },
];

/** Why a line that begins with a slash was not taken. `names` are written with their slash. */
export const REFUSED_COMMAND: Readonly<
  Record<"unknown" | "ambiguous" | "takes-nothing" | "needs-text", (said: string, names: string) => Text>
> = {
  unknown: (said, names) =>
    names === ""
      ? { en: `There is no /${said}: /help lists what there is.`, zh: `没有 /${said}：/help 列出可用的命令。` }
      : { en: `There is no /${said}; perhaps ${names} was meant.`, zh: `没有 /${said}；也许是 ${names}。` },
  ambiguous: (said, names) => ({
    en: `/${said} is not clear: ${names}. Write one more letter.`,
    zh: `/${said} 不明确：${names}。请再多写一个字母。`,
  }),
  "takes-nothing": (said, names) => ({
    en: `/${said} takes nothing behind it, and was not done: write ${names} alone.`,
    zh: `/${said} 后面不能有内容，因此没有执行：请只写 ${names}。`,
  }),
  "needs-text": (said, names) => ({
    en: `/${said} needs words behind it: ${names} …`,
    zh: `/${said} 后面需要内容：${names} …`,
  }),
};

export type CommandSays =
  | "nothingRuns"
  | "nothingWaits"
  | "noRule"
  | "noTurn"
  | "noMessage"
  | "noTodos"
  | "noTools"
  | "noSessions"
  | "answered"
  | "running"
  | "summarising"
  | "compactionStopped"
  | "notCompacted"
  | "newSession"
  | "noTitle"
  | "titled";

/** What commands answer. */
export const COMMAND_SAYS: Readonly<Record<CommandSays, Text>> = {
  nothingRuns: { en: "Nothing runs.", zh: "没有正在运行的任务。" },
  noRule: {
    en: "Allowed once: no rule can be written for a call of which a part may never be allowed for good.",
    zh: "仅允许这一次：其中一部分不能长期允许，无法写入规则。",
  },
  nothingWaits: { en: "No call waits for approval.", zh: "没有等待批准的调用。" },
  noTurn: { en: "There is no turn in this session yet.", zh: "本会话还没有任何一轮。" },
  noMessage: { en: "There is no message in this session yet.", zh: "本会话还没有消息。" },
  noTodos: { en: "The todo list is empty.", zh: "待办清单是空的。" },
  noTools: { en: "The model has no tools here.", zh: "模型在这里没有工具。" },
  noSessions: { en: "There is no session yet.", zh: "还没有会话。" },
  answered: { en: "The model answered.", zh: "模型已回答。" },
  running: { en: "The turn is running.", zh: "本轮正在运行。" },
  summarising: {
    en: "The older part of the conversation is being summed up by the model; Ctrl-C stops it.",
    zh: "模型正在总结对话较早的部分；Ctrl-C 可停止。",
  },
  compactionStopped: {
    en: "Stopped; the whole conversation is sent as before.",
    zh: "已停止；对话仍像以前一样完整发送。",
  },
  notCompacted: { en: "Nothing more can be left out.", zh: "没有可以再省略的内容。" },
  noTitle: { en: "That shows nothing, so the title stays as it is.", zh: "该标题没有可见内容，因此保持不变。" },
  titled: { en: "The session has its title.", zh: "会话已命名。" },
  newSession: { en: "A new session begins.", zh: "新会话开始。" },
};

export const editsElsewhere = (command: string): Text => ({
  en: `That opens an editor: leave first, then run ${command}.`,
  zh: `这会打开编辑器：请先离开，再运行 ${command}。`,
});

export const modelNow = (model: string, provider: string): Text => ({
  en: `${model} (${provider}). /model NAME uses another one from the next turn on.`,
  zh: `${model}（${provider}）。/model 名称 从下一轮起换用另一个。`,
});

export const modelFrom = (model: string, provider: string): Text => ({
  en: `From the next turn on: ${model} (${provider}).`,
  zh: `从下一轮起：${model}（${provider}）。`,
});

export const noSuchSession = (asked: string): Text => ({
  en: `There is no session ${asked}: /sessions lists the newest.`,
  zh: `没有会话 ${asked}：/sessions 列出最近的会话。`,
});

export const severalSessions = (asked: string): Text => ({
  en: `Several sessions speak of ${asked}; write one of these ids:`,
  zh: `有多个会话提到 ${asked}；请写其中一个编号：`,
});

export const resumed = (title: string, messages: number): Text => ({
  en: `Going on with “${title}” (${plural(messages, "message")}).`,
  zh: `继续“${title}”（${messages} 条消息）。`,
});

export const sessionSize = (sessionId: string, messages: number): Text => ({
  en: `session ${sessionId} · ${plural(messages, "message")}`,
  zh: `会话 ${sessionId} · ${messages} 条消息`,
});

/** What `/compact` has done. */
export function compactedSays({ compaction, tokens, trouble }: HistoryCompacted): Text {
  const size = tokens === undefined ? "" : ` (~${tokens.before} → ~${tokens.after} tokens)`;
  const why =
    trouble === undefined ? { en: "", zh: "" } : { en: ` No summary: ${trouble}.`, zh: ` 没有摘要：${trouble}。` };
  if (compaction.summary !== undefined && trouble === undefined)
    return {
      en: `A summary is sent from here on instead of the older part of the conversation; all of it is kept${size}.`,
      zh: `从现在起以摘要代替对话较早的部分；全部内容仍然保留${size}。`,
    };
  return {
    en: `Less of the old conversation is sent from here on; all of it is kept${size}.${why.en}`,
    zh: `从现在起少发送旧的对话；全部内容仍然保留${size}。${why.zh}`,
  };
}

export const titleLimit = (most: number, characters: number): Text => ({
  en: `A title has at most ${most} characters, and this has ${characters}: say it shorter.`,
  zh: `标题最多 ${most} 个字符，而这个有 ${characters} 个：请缩短。`,
});

export const exported = (path: string): Text => ({ en: `written: ${path}`, zh: `已写入：${path}` });

export const notExported = (path: string, why: string): Text => ({
  en: `${path} was not written (${why}): name a new file in a folder that is there.`,
  zh: `未写入 ${path}（${why}）：请指定已存在文件夹中的新文件。`,
});
