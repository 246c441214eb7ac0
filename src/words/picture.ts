import { plural } from "../protocol/plural.ts";
import type { EmptyRung } from "../protocol/fact.ts";
import type { ReceiptStatus } from "../protocol/message.ts";
import type { Usage } from "../protocol/outcome.ts";
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
    | "shortened"
    | "prepare"
    | "finalise"
    | "summary"
    | "gap"
    | "question"
    | "answered"
    | "unanswered"
    | "moreMoney"
    | "cacheBroke"
    | "child"
    | "iterationsLeft"
    | "moneyLeft"
    | "table",
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
  prepare: { en: "prepare", zh: "准备" },
  finalise: { en: "finalise", zh: "收尾" },
  summary: { en: "summary of what is left out", zh: "总结省略的内容" },
  gap: { en: "its process had died; then resumed", zh: "进程已终止；之后恢复" },
  question: { en: "question", zh: "提问" },
  answered: { en: "answered", zh: "已回答" },
  unanswered: { en: "not answered", zh: "未回答" },
  moreMoney: { en: "may it spend more?", zh: "可以再花费吗？" },
  cacheBroke: { en: "cache break", zh: "缓存中断" },
  child: { en: "child agent", zh: "子代理" },
  iterationsLeft: { en: "iterations left", zh: "剩余迭代" },
  moneyLeft: { en: "money left", zh: "剩余费用" },
  table: { en: "The same as a table: evander turn show --picture", zh: "同样内容的表格：evander turn show --picture" },
};

/** What the signs of the bars stand for. */
export const PICTURE_SIGNS: Readonly<
  Record<"model" | "tool" | "wait" | "person" | "mark" | "refund" | "own" | "gap" | "child", Text>
> = {
  model: { en: "model", zh: "模型" },
  tool: { en: "tool", zh: "工具" },
  wait: { en: "wait", zh: "等待" },
  person: { en: "person", zh: "等人" },
  mark: { en: "arrival", zh: "到达" },
  refund: { en: "given back", zh: "不计次数" },
  own: { en: "this program", zh: "本程序" },
  gap: { en: "no process", zh: "没有进程" },
  child: { en: "child agent", zh: "子代理" },
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
    | "bug"
    | "renewed"
    | "notRenewed"
    | "keysSpent"
    | "chainSpent"
    | "strike"
    | "truncated"
    | "prompt"
    | "context"
    | "partial"
    | "expired",
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
  bug: { en: "defect", zh: "程序缺陷" },
  renewed: { en: "key renewed", zh: "密钥已更新" },
  notRenewed: { en: "key not renewed", zh: "密钥未能更新" },
  keysSpent: { en: "no other key for", zh: "没有可替代的密钥" },
  chainSpent: { en: "no other model to ask", zh: "没有其他可询问的模型" },
  strike: { en: "leaving out did not help", zh: "省略没有起作用" },
  truncated: { en: "cut off by its server", zh: "被服务器截断" },
  prompt: { en: "another system prompt", zh: "新的系统提示" },
  context: { en: "context", zh: "背景信息" },
  partial: { en: "what had arrived is kept", zh: "保留已收到的文本" },
  expired: { en: "a yes has expired", zh: "批准已过期" },
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

export const tokensOf = ({ input, output }: Pick<Usage, "input" | "output">): Text => ({
  en: `${input.toLocaleString("en-US")} in + ${output.toLocaleString("en-US")} out`,
  zh: `输入 ${input.toLocaleString("en-US")} + 输出 ${output.toLocaleString("en-US")}`,
});

export const filesTouched = (count: number): Text => ({ en: plural(count, "file"), zh: `${count} 个文件` });

export const warnedAt = ({ code, count }: { readonly code: string; readonly count: number }): Text => ({
  en: `guardrail: ${code} (${count})`,
  zh: `防护：${code}（${count}）`,
});

/** What a child agent has done. */
export const workOf = (iterations: number, calls: number): Text => ({
  en: `${plural(iterations, "iteration")}${calls === 0 ? "" : `, ${plural(calls, "call")}`}`,
  zh: `${iterations} 次迭代${calls === 0 ? "" : `，${calls} 次调用`}`,
});

interface Folded {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  readonly failed: number;
}

/** Rows that are drawn as one. */
export const foldedRows = ({ rows, from, to, failed }: Folded): Text => ({
  en: `iterations ${from}-${to}: ${plural(rows, "row")}${failed > 0 ? ` (${failed} failed)` : ""}`,
  zh: `第 ${from}-${to} 次迭代：${rows} 行${failed > 0 ? `（${failed} 行失败）` : ""}`,
});

/** What is left of a limit at the end of a turn. */
export const leftOfLimit = (left: string, most: string): Text => ({
  en: `${left} of ${most}`,
  zh: `${left} / ${most}`,
});
