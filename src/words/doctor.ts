import { plural } from "../protocol/plural.ts";
import type { StoreCheck } from "../protocol/store.ts";
import type { CheckpointCheck } from "../protocol/turn-files.ts";
import { type Text, wordsIn } from "./language.ts";
import { cameFrom } from "./providers.ts";

const same = (text: string): Text => ({ en: text, zh: text });

/** What `evander doctor` says, by finding. */
export const DOCTOR = {
  node: (version: string): Text => same(`Node ${version}`),
  oldNode: (version: string): Text => ({
    en: `Node ${version} is too old: 24 or newer is needed.`,
    zh: `Node ${version} 太旧：需要 24 或更新的版本。`,
  }),
  folder: (path: string): Text => same(path),
  noFolderYet: (path: string): Text => ({
    en: `${path} does not exist yet; it is made when it is needed.`,
    zh: `${path} 还不存在；需要时会创建。`,
  }),
  noFolder: (path: string): Text => ({
    en: `${path} is a file where a folder is needed.`,
    zh: `${path} 是文件，而这里需要文件夹。`,
  }),
  notWritable: (path: string): Text => ({ en: `${path} cannot be written.`, zh: `${path} 无法写入。` }),
  openToOthers: (path: string, mode: string): Text => ({
    en: `${path} can be read or written by other users of this machine (mode ${mode}).`,
    zh: `本机的其他用户可以读写 ${path}（权限 ${mode}）。`,
  }),
  config: (files: number): Text => ({
    en: files === 0 ? "There is no config file; all is as usual." : `${plural(files, "file")} read, nothing wrong.`,
    zh: files === 0 ? "没有配置文件；一切按默认。" : `已读取 ${files} 个文件，没有问题。`,
  }),
  journal: ({ sessions, bytes }: Extract<StoreCheck, { type: "sound" }>): Text => ({
    en: `${plural(sessions, "session")} in ${size(bytes)}, undamaged.`,
    zh: `${sessions} 个会话，共 ${size(bytes)}，没有损坏。`,
  }),
  checkpoints: ({ turns, bytes }: Extract<CheckpointCheck, { type: "sound" }>): Text => ({
    en: `What ${plural(turns, "turn")} changed on the disk can be undone (${size(bytes)}).`,
    zh: `${turns} 轮对磁盘的改动可以撤销（${size(bytes)}）。`,
  }),
  sound: (sessions: number, invariants: number): Text => ({
    en: `${plural(sessions, "session")} checked: all ${invariants} invariants hold.`,
    zh: `已检查 ${sessions} 个会话：全部 ${invariants} 条不变式成立。`,
  }),
  checked: (sessions: number): Text => ({
    en: `evander: ${plural(sessions, "session")} checked so far …`,
    zh: `evander：已检查 ${sessions} 个会话……`,
  }),
  more: (count: number, kind: string): Text => ({
    en: `The same of ${count} more (${kind}).`,
    zh: `另有 ${count} 处相同问题（${kind}）。`,
  }),
  olderStore: {
    en: "The sessions were kept by an older version: list them once, which brings the store up to date, and check again.",
    zh: "会话由旧版本保存：请先列出一次会话（会更新存储格式），然后再检查。",
  },
  noJournal: { en: "There are no sessions yet.", zh: "还没有会话。" },
  notes: (count: number): Text => ({
    en: count === 0 ? "Nothing is remembered yet." : `${plural(count, "note")} told to each new session.`,
    zh: count === 0 ? "还没有记住任何内容。" : `${count} 条笔记，会告诉每个新会话。`,
  }),
  skills: (count: number): Text => ({
    en: count === 0 ? "There are no skills here." : `${plural(count, "skill")} can be read.`,
    zh: count === 0 ? "这里没有技能。" : `有 ${count} 个可读的技能。`,
  }),
  skillTrouble: (path: string, sentence: string | Text): Text => ({
    en: `${path}: ${wordsIn(sentence, "en")}`,
    zh: `${path}：${wordsIn(sentence, "zh")}`,
  }),
  sandbox: (by: string, mode: "workspace" | "read-only"): Text =>
    mode === "workspace"
      ? {
          en: `Commands run in a sandbox (${by}): they write in the working folder alone, and reach no network but sandbox.hosts.`,
          zh: `命令在沙箱（${by}）中运行：只能写入工作目录，除 sandbox.hosts 外不能联网。`,
        }
      : {
          en: `Commands run in a sandbox (${by}): they write nothing, and reach no network but sandbox.hosts.`,
          zh: `命令在沙箱（${by}）中运行：不能写入文件，除 sandbox.hosts 外不能联网。`,
        },
  sandboxOff: {
    en: "The sandbox is switched off: commands run as you.",
    zh: "沙箱已关闭：命令以你的身份运行。",
  },
  sandboxElsewhere: {
    en: "Commands run elsewhere (terminal.backend), without a sandbox of this machine.",
    zh: "命令在别处运行（terminal.backend），不使用本机的沙箱。",
  },
  noSandbox: (why: string): Text => ({
    en: `There is no sandbox, so commands run as you: ${why}.`,
    zh: `没有沙箱，命令以你的身份运行：${why}。`,
  }),
  lostSandbox: (why: string): Text => ({
    en: `No command can run: ${why}.`,
    zh: `无法运行任何命令：${why}。`,
  }),
  disk: (free: number): Text => ({ en: `${size(free)} free.`, zh: `剩余 ${size(free)}。` }),
  fullDisk: (free: number, path: string): Text => ({
    en: `Only ${size(free)} are free where ${path} lies; without space no turn can be saved.`,
    zh: `${path} 所在磁盘只剩 ${size(free)}；空间用尽后无法保存会话。`,
  }),
  /** `tokens`: what a real request took; null: none was made. */
  provider: (name: string, source: string, tokens: number | null): Text => ({
    en: `${name}, ${cameFrom(source).en}${tokens === null ? "" : `; asked once: ${tokens} tokens`}.`,
    zh: `${name}，${cameFrom(source).zh}${tokens === null ? "" : `；已请求一次：${tokens} 个 token`}。`,
  }),
  noProvider: {
    en: "No model was found; the practice model works without one.",
    zh: "没有找到模型；练习模型不需要模型也能工作。",
  },
  providerTrouble: (name: string, problem: string | Text): Text => ({
    en: `${name}: ${wordsIn(problem, "en")}`,
    zh: `${name}：${wordsIn(problem, "zh")}`,
  }),
  search: (names: string): Text => ({
    en: `Web searches go to ${names}; nobody was asked now.`,
    zh: `网络搜索依次使用 ${names}；此次没有询问任何一方。`,
  }),
  searchMissing: (names: string): Text => ({
    en: `search.providers names ${names}, which is not set up: nothing is looked up there.`,
    zh: `search.providers 中的 ${names} 尚未设置：不会在那里搜索。`,
  }),
  searchUnknown: (names: string): Text => ({
    en: `search.providers names ${names}, which is nobody that is known here: web_search is not offered.`,
    zh: `search.providers 中的 ${names} 未知：不提供 web_search。`,
  }),
  chain: (models: number): Text => ({
    en: `${plural(models, "model")} can take over.`,
    zh: `有 ${models} 个模型可以接替。`,
  }),
  passedOver: (name: string, problem: string | Text): Text => ({
    en: `${name} would be passed over: ${wordsIn(problem, "en")}`,
    zh: `${name} 会被跳过：${wordsIn(problem, "zh")}`,
  }),
  /** The words of whoever found it. */
  trouble: (message: string | Text): Text => (typeof message === "string" ? same(message) : message),
  terminal: (kind: string, columns: number): Text => ({
    en: `${kind}, ${columns} columns.`,
    zh: `${kind}，${columns} 列。`,
  }),
  noTerminal: {
    en: "The output is no terminal: no colours, and nobody is asked.",
    zh: "输出不是终端：没有颜色，也不会询问。",
  },
  dumbTerminal: {
    en: "TERM says that this terminal can move no cursor: lines are only appended.",
    zh: "TERM 表明这个终端不能移动光标：只会追加行。",
  },
  noUnicode: {
    en: "The locale is not UTF-8: letters beyond English may look wrong.",
    zh: "区域设置不是 UTF-8：非英文字符可能显示不正确。",
  },
  verdict: (broken: number, warnings: number): Text =>
    broken > 0
      ? { en: `${broken} broken, ${warnings} to look at.`, zh: `${broken} 项损坏，${warnings} 项需要留意。` }
      : warnings > 0
        ? { en: `Nothing is broken; ${warnings} to look at.`, zh: `没有损坏；${warnings} 项需要留意。` }
        : { en: "All is well.", zh: "一切正常。" },
  state: {
    ok: { en: "ok", zh: "正常" },
    warning: { en: "warning", zh: "警告" },
    broken: { en: "broken", zh: "损坏" },
  },
  fixed: { en: "done", zh: "已完成" },
  wouldFix: { en: "would be done", zh: "将会执行" },
  undo: { en: "undo", zh: "撤销" },
  next: { en: "next", zh: "下一步" },
} as const;

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

function size(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const value = bytes / 1_000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
