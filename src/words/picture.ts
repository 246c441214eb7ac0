import { plural } from "../protocol/plural.ts";
import type { EmptyRung } from "../protocol/fact.ts";
import type { ReceiptStatus } from "../protocol/message.ts";
import type { Text } from "./language.ts";

/** The heads of its columns, and what its rows say. */
export const PICTURE_WORDS: Readonly<
  Record<
    | "start"
    | "took"
    | "what"
    | "result"
    | "wait"
    | "parked"
    | "end"
    | "goesOn"
    | "grace"
    | "refunded"
    | "allowed"
    | "denied"
    | "undecided"
    | "answer"
    | "empty"
    | "cut"
    | "cancelled"
    | "stopped"
    | "lost"
    | "shortened",
    Text
  >
> = {
  start: { en: "start", zh: "开始" },
  took: { en: "took", zh: "用时" },
  what: { en: "what", zh: "事项" },
  result: { en: "result", zh: "结果" },
  wait: { en: "wait", zh: "等待" },
  parked: { en: "parked", zh: "搁置" },
  end: { en: "end", zh: "结束" },
  goesOn: { en: "goes on", zh: "进行中" },
  grace: { en: "last word", zh: "最后一次" },
  refunded: { en: "given back", zh: "不计次数" },
  allowed: { en: "allowed", zh: "已允许" },
  denied: { en: "denied", zh: "已拒绝" },
  undecided: { en: "not decided", zh: "未决定" },
  answer: { en: "answer", zh: "回答" },
  empty: { en: "empty reply", zh: "空回复" },
  cut: { en: "cut off", zh: "被截断" },
  cancelled: { en: "dropped", zh: "已丢弃" },
  stopped: { en: "stopped", zh: "已停止" },
  lost: { en: "its process went", zh: "进程已消失" },
  shortened: {
    en: "Time in which nobody worked is drawn shorter than it was.",
    zh: "无人工作的时间画得比实际短。",
  },
};

/** What the signs of the bars stand for. */
export const PICTURE_SIGNS: Readonly<Record<"model" | "tool" | "wait" | "person" | "mark" | "refund", Text>> = {
  model: { en: "model", zh: "模型" },
  tool: { en: "tool", zh: "工具" },
  wait: { en: "wait", zh: "等待" },
  person: { en: "person", zh: "等人" },
  mark: { en: "arrival", zh: "到达" },
  refund: { en: "given back", zh: "不计次数" },
};

/** What came from outside or happened at one moment. */
export const PICTURE_MARKS: Readonly<
  Record<
    | "steer"
    | "injection"
    | "redirect"
    | "interrupt"
    | "key"
    | "model"
    | "money"
    | "deadline"
    | "compacted"
    | "incompressible"
    | "adjusted"
    | "guardrail"
    | "resumed"
    | "bug",
    Text
  >
> = {
  steer: { en: "steer", zh: "引导" },
  injection: { en: "message", zh: "消息" },
  redirect: { en: "redirect", zh: "纠正" },
  interrupt: { en: "stop", zh: "停止" },
  key: { en: "another key", zh: "更换密钥" },
  model: { en: "another model", zh: "更换模型" },
  money: { en: "money limit", zh: "费用上限" },
  deadline: { en: "time limit", zh: "时间上限" },
  compacted: { en: "less is sent", zh: "发送更少内容" },
  incompressible: { en: "nothing more to leave out", zh: "无法再减少" },
  adjusted: { en: "asked differently", zh: "改变请求方式" },
  guardrail: { en: "guardrail", zh: "防护停止" },
  resumed: { en: "resumed", zh: "恢复" },
  bug: { en: "defect", zh: "程序缺陷" },
};

export const RECEIPT_WORDS: Readonly<Record<ReceiptStatus, Text>> = {
  ok: { en: "ok", zh: "成功" },
  error: { en: "error", zh: "错误" },
  cancelled: { en: "not run", zh: "未运行" },
  denied: { en: "denied", zh: "已拒绝" },
  interrupted: { en: "interrupted", zh: "被中断" },
};

export const RUNG_WORDS: Readonly<Record<EmptyRung, Text>> = {
  nudge: { en: "nudge", zh: "提醒" },
  prefill: { en: "prefill", zh: "续写" },
  recall: { en: "again", zh: "再次" },
  finalise: { en: "finalise", zh: "收尾" },
};

export const callsAsked = (count: number): Text => ({
  en: `asks for ${plural(count, "call")}`,
  zh: `请求 ${count} 次调用`,
});

export const tryNumber = (tries: number): Text => ({ en: `try ${tries}`, zh: `第 ${tries} 次` });

/** The exit reason stands before it. */
export const ANSWERED_END: Text = { en: "The model has answered.", zh: "模型已回答。" };
