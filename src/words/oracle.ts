import type { BreachKind } from "../protocol/oracle.ts";
import type { Text } from "./language.ts";

/** What is wrong, without a full stop: what it is about and what helps come behind it. */
const WRONG: Readonly<Record<BreachKind, Text>> = {
  "inbound-lost": { en: "A message that was acknowledged is not in the store", zh: "已确认的消息不在存储中" },
  "inbound-twice": { en: "A message that came once was told twice", zh: "只来过一次的消息被告知了两次" },
  "arrival-lost": { en: "What was said during the turn was accepted and is lost", zh: "轮次中已接受的话丢失了" },
  "arrival-twice": { en: "What was said during the turn arrived twice", zh: "轮次中说的话到达了两次" },
  "arrival-unknown": { en: "Something arrived in the turn that nobody has said", zh: "轮次中出现了没有人说过的话" },
  "key-differs": {
    en: "The turn is found under another key than it was asked for with",
    zh: "该轮记录的键与请求时的不同",
  },
  "inbound-order": { en: "Messages do not stand in the order in which they came", zh: "消息的顺序与到达顺序不同" },
  "arrival-order": { en: "What was said during the turn did not arrive in order", zh: "轮次中说的话没有按顺序到达" },
  "receipt-missing": { en: "A tool call has no result", zh: "某个工具调用没有结果" },
  "receipt-twice": { en: "A tool call has two results", zh: "某个工具调用有两个结果" },
  "receipt-unasked": { en: "A result belongs to no tool call", zh: "某个结果不属于任何工具调用" },
  "receipt-misplaced": { en: "A result does not stand behind its tool call", zh: "某个结果不在其工具调用之后" },
  "role-illegal": { en: "A message has a role that it cannot have there", zh: "某条消息的角色在该处不合法" },
  "assistant-empty": { en: "An answer of the model has nothing in it", zh: "模型的某个回复是空的" },
  "last-word-missing": {
    en: "The turn has ended and its last message is no answer",
    zh: "该轮已结束，但最后一条消息不是回复",
  },
  "call-id-bad": {
    en: "Tool calls of one answer have no id, or share one",
    zh: "同一回复中的工具调用没有 id 或共用一个 id",
  },
  "signature-homeless": {
    en: "Nobody is named who signed a part of an answer",
    zh: "回复中有签名内容，却没有记录由谁签署",
  },
  "effect-twice": { en: "A call with an effect was started twice", zh: "一个有副作用的调用被启动了两次" },
  "effect-unrecorded": {
    en: "A call with an effect is done and was never started",
    zh: "一个有副作用的调用已完成，却没有启动记录",
  },
  "begun-after-stop": { en: "Something began behind a stop", zh: "停止之后又开始了新的工作" },
  "effect-ran-twice": { en: "A call with an effect ran twice", zh: "一个有副作用的调用运行了两次" },
  "effect-ran-unrecorded": {
    en: "A call with an effect ran before that was kept",
    zh: "一个有副作用的调用在记录之前就运行了",
  },
  "turn-left-open": { en: "A turn began behind one that has not ended", zh: "上一轮尚未结束，就开始了新的一轮" },
  "turn-row-differs": { en: "The list of turns and the journal do not agree", zh: "轮次列表与日志不一致" },
  "fact-outside-turn": { en: "Something was recorded that belongs to no turn", zh: "有一条记录不属于任何轮次" },
  "went-on-parked": { en: "The turn went on while it waited for a person", zh: "该轮在等待人的决定时仍在继续" },
  "lease-left": { en: "The session is held by somebody who has gone", zh: "会话仍被已离开的进程占用" },
  "turn-unfinished": { en: "The turn has not ended, and nobody runs it", zh: "该轮尚未结束，也没有进程在运行它" },
  "answer-differs": { en: "Another answer was shown than is kept", zh: "显示的回答与保存的不同" },
  "parent-missing": { en: "The session goes on from one that is not there", zh: "该会话所延续的会话不存在" },
  "parent-short": {
    en: "The session goes on from more messages than there are",
    zh: "该会话所延续的消息多于实际存在的",
  },
  "child-overlaps": {
    en: "The session has messages where those of its parent stand",
    zh: "该会话的消息占用了上级会话消息的位置",
  },
  "compaction-astray": { en: "What is left out of requests points beyond the history", zh: "压缩位置超出了历史记录" },
  "note-differs": {
    en: "What the session keeps of itself is not what its facts say",
    zh: "会话保存的附注与其事实不一致",
  },
  "file-damaged": { en: "The file is damaged", zh: "文件已损坏" },
  "row-stray": { en: "A row belongs to nothing that is there", zh: "有一行不属于任何现有内容" },
  "search-differs": { en: "The search index does not know what was said", zh: "搜索索引与已保存的内容不一致" },
  "opening-damaged": { en: "What requests begin with is not what was kept", zh: "请求的开头部分与保存时不同" },
  "charge-astray": { en: "What was done on the account of a turn is not there", zh: "记在某轮账上的内容不存在" },
  "secret-kept": { en: "A secret stands in a file", zh: "某个文件中有机密内容" },
  "attempt-number": { en: "A request to the model is missing from the count", zh: "对模型的请求编号不连续" },
  "attempt-unbilled": { en: "An answer is on no account", zh: "某个回复没有计入账目" },
  "usage-impossible": { en: "Less than nothing was used", zh: "用量数值不可能" },
  "usage-differs": { en: "The provider has counted other tokens than are kept", zh: "提供方统计的 token 与保存的不同" },
  "limit-passed": { en: "A request left behind the limit of the turn", zh: "在超出该轮限额后仍发出了请求" },
  "left-over": { en: "Something was left behind", zh: "有东西被遗留下来" },
  "answer-unasked": {
    en: "A person's answer was used that nobody had asked for",
    zh: "使用了一个没有提出过的问题的答复",
  },
  "ran-denied": { en: "A call ran that a person had refused", zh: "运行了被人拒绝的调用" },
  "yes-expired": { en: "A call ran on a yes whose time was over", zh: "调用依据的许可已经过期" },
  "place-gap": { en: "A message is missing", zh: "缺少一条消息" },
  "place-twice": { en: "Two messages have one place", zh: "两条消息占同一位置" },
  "message-missing": { en: "The journal points to a message that cannot be read", zh: "日志指向的消息无法读取" },
  "message-unknown": { en: "A message came with no fact", zh: "某条消息没有对应的事实" },
  "row-unreadable": { en: "A row of the journal cannot be read", zh: "日志中有一行无法读取" },
  "fact-malformed": { en: "A fact lacks what belongs to it", zh: "某个事实缺少必需的内容" },
  "fold-failed": { en: "The facts of the turn contradict each other", zh: "该轮的事实互相矛盾" },
  "outcome-differs": {
    en: "The turn is said to have ended in another way than its facts say",
    zh: "该轮记录的结束方式与其事实不符",
  },
  "request-missing": { en: "What the model was asked was not kept", zh: "没有保存发给模型的请求" },
  "request-unreadable": { en: "What the model was asked cannot be read again", zh: "发给模型的请求无法再读取" },
};

/** What helps. */
const HELP = {
  recover: { en: "bring what can be read into a new file", zh: "把可读的内容恢复到新文件" },
  rebuild: { en: "build the index anew", zh: "重建索引" },
  resume: { en: "take the session up again, or stop it", zh: "继续或停止该会话" },
  secret: { en: "change that secret, and remove the session that holds it", zh: "更换该机密，并删除含有它的会话" },
  remove: { en: "look at it, and remove it when nobody uses it", zh: "查看它，若无人使用则删除" },
  report: {
    en: "the session can be read and exported as it is; go on in a new one and report this, since the program should never do it",
    zh: "该会话仍可读取和导出；请在新会话中继续，并报告此问题，因为程序本不该如此",
  },
} as const satisfies Readonly<Record<string, Text>>;

const HELPS: Partial<Readonly<Record<BreachKind, keyof typeof HELP>>> = {
  "file-damaged": "recover",
  "row-stray": "recover",
  "row-unreadable": "recover",
  "message-missing": "recover",
  "opening-damaged": "recover",
  "search-differs": "rebuild",
  "turn-unfinished": "resume",
  "lease-left": "resume",
  "secret-kept": "secret",
  "left-over": "remove",
};

/** `what`: with what something is wrong, as it stands in the store. */
export function breachText(kind: BreachKind, what: string): Text {
  const help = HELP[HELPS[kind] ?? "report"];
  const { en, zh } = WRONG[kind];
  return { en: `${en} (${what}): ${help.en}.`, zh: `${zh}（${what}）：${help.zh}。` };
}
