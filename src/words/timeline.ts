import type { CompactionCause } from "../protocol/projection/compaction.ts";
import type { Scope } from "../protocol/approval.ts";
import type { ApprovalDecided, EmptyRung, HistoryCompacted, ModelSwitched, Purpose } from "../protocol/fact.ts";
import type { Failure } from "../protocol/failure.ts";
import type { PromptState } from "../protocol/prompt.ts";
import { MAX_STRIKES } from "../protocol/window.ts";
import { duration } from "./durations.ts";
import type { Text } from "./language.ts";

/** What happened in a turn, a line for each fact; names and texts that stand in a line are given, and printable. */
type Said = (text: string) => Text;

interface Attempt {
  readonly model: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly grace: boolean;
  readonly rung: EmptyRung | undefined;
}

const RUNGS: Readonly<Record<EmptyRung, Text>> = {
  nudge: { en: ", pointing at the tools' results", zh: "，提醒它看工具的结果" },
  prefill: { en: ", letting it go on from its thoughts", zh: "，让它从自己的思考继续" },
  recall: { en: ", once more", zh: "，再问一次" },
  finalise: { en: ", asking for an answer without tools", zh: "，要求它不用工具直接回答" },
};
const LAST_WORD: Text = { en: ", last word without tools", zh: "，不用工具的最后一次" };
const PLAIN: Text = { en: "", zh: "" };

export const turnLine = (turnId: string, sessionId: string): Text => ({
  en: `turn ${turnId} of session ${sessionId}`,
  zh: `会话 ${sessionId} 的一轮 ${turnId}`,
});

export const askedLine: Said = (text) => ({ en: `asked: ${text}`, zh: `提问：${text}` });

/** A turn that goes on from another one. */
export const takesOverLine = (
  { turnId, from }: { readonly turnId: string; readonly from: number },
  text: string,
): Text => ({
  en: `asked again from iteration ${from} of turn ${turnId}: ${text}`,
  zh: `从轮次 ${turnId} 的第 ${from} 次迭代起重新询问：${text}`,
});

export function attemptLine({ model, iteration, attempt, grace, rung }: Attempt): Text {
  const how = grace ? LAST_WORD : rung === undefined ? PLAIN : RUNGS[rung];
  return {
    en: `asking ${model} (iteration ${iteration}, attempt ${attempt}${how.en})`,
    zh: `询问 ${model}（第 ${iteration} 次迭代，第 ${attempt} 次尝试${how.zh}）`,
  };
}

export const callsLine: Said = (calls) => ({ en: `the model asks for ${calls}`, zh: `模型请求 ${calls}` });

export const replyLine = (text: string, stopped: boolean): Text =>
  stopped
    ? { en: `the model was stopped at: ${text}`, zh: `模型说到这里被停止：${text}` }
    : { en: `the model answers: ${text}`, zh: `模型回答：${text}` };

/** Behind the line of a reply: its server's word for the end is one that nobody here knows. */
export const endedAs = (line: Text, word: string): Text => ({
  en: `${line.en} (its server calls this end ${word}, which is not known here)`,
  zh: `${line.zh}（服务器把这个结尾称为 ${word}，本程序不认识）`,
});

export const REPLY_DROPPED: Text = {
  en: "the request was cancelled, because the user wants something else",
  zh: "请求已取消，因为用户改变了要求",
};

export const REPLY_EMPTY: Text = { en: "the model answered with nothing", zh: "模型什么也没有回答" };

export const cutLine = (text: string, lost: readonly string[]): Text => {
  const names = lost.join(", ");
  return {
    en: `the reply was cut off at the output limit${names === "" ? "" : `, ${names} was not run`}: ${text}`,
    zh: `回复在输出上限处被截断${names === "" ? "" : `，${names} 没有运行`}：${text}`,
  };
};

/** `rule`: what in the classifier decided. */
export const failedLine = ({ reason, rule }: Pick<Failure, "reason" | "rule">, message: string): Text => ({
  en: `failed: ${reason}${rule === undefined ? "" : ` (rule ${rule})`}: ${message}`,
  zh: `失败：${reason}${rule === undefined ? "" : `（规则 ${rule}）`}：${message}`,
});

export const waitLine = (ms: number): Text => ({
  en: `waiting ${duration(ms, "en")} before the next attempt`,
  zh: `等待 ${duration(ms, "zh")}后再次尝试`,
});

export const runningLine: Said = (calls) => ({ en: `running ${calls}`, zh: `运行 ${calls}` });

export const resumedLine = (lost: boolean): Text => ({
  en: `resumed after its process had stopped${lost ? "; what the model had streamed of its reply by then was not kept" : ""}`,
  zh: `进程停止之后继续${lost ? "；模型当时已输出的部分没有保存" : ""}`,
});

export const stoppedLine: Said = (by) => ({ en: `stopped (${by})`, zh: `已停止（${by}）` });
export const SUPERSEDED: Text = { en: "closed, because a new message came", zh: "已关闭，因为来了新的消息" };
export const addsLine: Said = (text) => ({ en: `the user adds: ${text}`, zh: `用户补充：${text}` });
export const correctsLine: Said = (text) => ({ en: `the user corrects: ${text}`, zh: `用户纠正：${text}` });

export function switchedLine(model: string, because?: ModelSwitched["because"]): Text {
  if (because === undefined) return { en: `from here on ${model} is asked`, zh: `此后询问 ${model}` };
  const { en, zh } = LEFT_BECAUSE[because] ?? { en: "the other one failed", zh: "前一个模型失败" };
  return { en: `from here on ${model} is asked, because ${en}`, zh: `此后询问 ${model}，因为${zh}` };
}

/** Why a model was left for the next one. */
export const LEFT_BECAUSE: Readonly<Partial<Record<NonNullable<ModelSwitched["because"]>, Text>>> = {
  rate_limit: { en: "the limit of the other one is used up", zh: "前一个模型的配额已用完" },
  billing: { en: "the other one wants to be paid first", zh: "前一个模型要求先付费" },
  auth: { en: "the other one refuses the key", zh: "前一个模型拒绝了密钥" },
  auth_permanent: { en: "the other one refuses the key", zh: "前一个模型拒绝了密钥" },
  overloaded: { en: "the other one is overloaded", zh: "前一个模型过载" },
  timeout: { en: "the other one could not be reached", zh: "无法连接前一个模型" },
  server_error: { en: "the server of the other one fails", zh: "前一个模型的服务器出错" },
  model_not_found: { en: "the other one is not there", zh: "前一个模型不存在" },
  format_error: { en: "the other one refuses the request", zh: "前一个模型拒绝了请求" },
  content_policy_blocked: { en: "the other one refuses to answer", zh: "前一个模型拒绝回答" },
  empty_reply: { en: "the other one says nothing", zh: "前一个模型没有回答" },
};

export const keyRotatedLine = (from: string, to: string): Text => ({
  en: `from here on key ${to} is sent instead of ${from}`,
  zh: `此后改用密钥 ${to}，不再用 ${from}`,
});

export const keyRefreshedLine: Said = (key) => ({ en: `key ${key} was renewed`, zh: `密钥 ${key} 已更新` });

export const keyNotRenewedLine: Said = (key) => ({
  en: `key ${key} could not be renewed`,
  zh: `无法更新密钥 ${key}`,
});

export const keysSpentLine: Said = (key) => ({
  en: `there is no other key to send instead of ${key}`,
  zh: `没有可替代 ${key} 的其他密钥`,
});

export const CHAIN_SPENT: Text = {
  en: "no other model of the fallback chain could be asked",
  zh: "备用模型链中没有其他可询问的模型",
};

export const timeUpLine = (ms: number): Text => ({
  en: `the time limit of ${duration(ms, "en")} is reached`,
  zh: `已达到 ${duration(ms, "zh")}的时间上限`,
});

export const asksLine: Said = (calls) => ({ en: `asking for approval of ${calls}`, zh: `请求批准 ${calls}` });

export function decidedLine({ allow, scope }: Pick<ApprovalDecided, "allow" | "scope">, call: string): Text {
  if (!allow) return { en: `denied: ${call}`, zh: `已拒绝：${call}` };
  const { en, zh } = scope === undefined ? { en: "", zh: "" } : LEARNT[scope];
  return { en: `allowed${en}: ${call}`, zh: `已允许${zh}：${call}` };
}

const LEARNT: Readonly<Record<Scope, Text>> = {
  session: { en: ", and the like in this session", zh: "（本会话中的同类调用也允许）" },
  always: { en: ", and the like from now on", zh: "（以后的同类调用也允许）" },
};

export const expiredLine: Said = (calls) => ({
  en: `the yes came too long before it could be used, so it counts no more: ${calls}`,
  zh: `批准距使用的时间太久，不再有效：${calls}`,
});

export const haltLine = (code: string, tool: string, count: number): Text => ({
  en: `stopped by a guardrail (${code}): ${tool}, ${count} times`,
  zh: `被护栏停止（${code}）：${tool}，${count} 次`,
});

export const KEPT_PARTIAL: Text = { en: "keeping the text that had arrived", zh: "保留已收到的文本" };

const CAUSES: Readonly<Record<CompactionCause, Text>> = {
  "too-large": { en: "the request was too large", zh: "请求过大" },
  pressure: { en: "the window of the model was filling up", zh: "模型的上下文窗口快满了" },
  asked: { en: "somebody asked for it", zh: "有人要求" },
  background: { en: "the conversation had grown long", zh: "对话已变长" },
};

export function compactedLine({ because = "too-large", compaction, tokens, trouble }: HistoryCompacted): Text {
  const size = tokens === undefined ? "" : ` (~${tokens.before} → ~${tokens.after} tokens)`;
  const summed = compaction.summary === undefined ? BY_RULES : BY_SUMMARY;
  const why = trouble === undefined ? NO_TROUBLE : { en: `; no summary: ${trouble}`, zh: `；没有摘要：${trouble}` };
  return {
    en: `${CAUSES[because].en}: ${summed.en}; all of it is kept${size}${why.en}`,
    zh: `${CAUSES[because].zh}：${summed.zh}；全部内容仍然保留${size}${why.zh}`,
  };
}

const NO_TROUBLE: Text = { en: "", zh: "" };
const BY_RULES: Text = { en: "less of the conversation is sent from here on", zh: "从这里起少发送对话" };
const BY_SUMMARY: Text = {
  en: "a summary is sent from here on instead of the older part of the conversation",
  zh: "从这里起以摘要代替对话较早的部分",
};

export function judgedLine(tokens: number, strikes: number): Text | undefined {
  if (strikes === 0) return undefined;
  const off = strikes < MAX_STRIKES ? PLAIN : STRUCK_OUT;
  return {
    en: `leaving that out did not help: the next request still had ${tokens} tokens (${strikes} in a row)${off.en}`,
    zh: `省略没有起作用：下一个请求仍有 ${tokens} 个 token（连续 ${strikes} 次）${off.zh}`,
  };
}

const STRUCK_OUT: Text = {
  en: "; nothing is left out by itself any more in this session until a request is refused as too large",
  zh: "；本会话不再自动省略，除非请求因过大被拒绝",
};

export const SUMMARISING: Text = {
  en: "asking for a summary of the older part of the conversation",
  zh: "正在请求对话较早部分的摘要",
};

export const truncatedLine = (estimated: number, told: number): Text => ({
  en: `the server has read only ${told} of about ${estimated} tokens: it seems to have cut off the beginning without a word`,
  zh: `服务器只读了约 ${estimated} 个 token 中的 ${told} 个：它似乎悄悄截掉了开头`,
});

const PROMPTS: Readonly<Record<PromptState, Text | undefined>> = {
  missing: undefined,
  null: { en: "none had been kept", zh: "之前没有保存" },
  empty: { en: "the one that was kept was empty", zh: "之前保存的是空的" },
  stale_runtime: { en: "the one that was kept is for another model", zh: "之前保存的是给另一个模型的" },
  stale_system: { en: "the program speaks otherwise now", zh: "程序的说明已改变" },
};

/** Undefined for the first one of a session. */
export function promptLine(state: PromptState): Text | undefined {
  const why = PROMPTS[state];
  return why && { en: `the system prompt was built anew: ${why.en}`, zh: `系统提示已重新生成：${why.zh}` };
}

export const notCompactedLine = (because: "pressure" | undefined): Text =>
  because === "pressure" ? NOTHING_LEFT : NOT_COMPACTED;

const NOT_COMPACTED: Text = {
  en: "the request was too large, and nothing more can be left out",
  zh: "请求过大，而且没有可以再省略的内容",
};
const NOTHING_LEFT: Text = {
  en: "the window of the model is filling up, and nothing more can be left out",
  zh: "模型的上下文窗口快满了，而且没有可以再省略的内容",
};

export const defectLine: Said = (message) => ({
  en: `a defect of Evander: ${message}`,
  zh: `Evander 的缺陷：${message}`,
});
export const PARKED: Text = { en: "parked until somebody decides", zh: "已暂停，等待有人决定" };
export const UNPARKED: Text = { en: "taken up again", zh: "已重新继续" };

interface Auxiliary {
  readonly model: string;
  readonly purpose: Purpose;
  readonly exit: string;
  readonly sessionId: string | undefined;
}

export const PURPOSES: Readonly<Record<Purpose, Text>> = {
  review: { en: "a review", zh: "回顾" },
  summary: { en: "a summary", zh: "总结" },
  title: { en: "a title", zh: "标题" },
  vision: { en: "a description of pictures", zh: "图片描述" },
  approval: { en: "a judgement", zh: "判断" },
  advice: { en: "advice", zh: "建议" },
  dream: { en: "tidier notes", zh: "整理笔记" },
  child: { en: "the work of a child agent", zh: "子代理的工作" },
  picture: { en: "a picture", zh: "图片" },
};

export const auxiliaryLine = ({ model, purpose, exit, sessionId }: Auxiliary): Text => ({
  en: `asked ${model} for ${PURPOSES[purpose].en}: ${exit}${sessionId === undefined ? "" : ` (session ${sessionId})`}`,
  zh: `请 ${model} 做${PURPOSES[purpose].zh}：${exit}${sessionId === undefined ? "" : `（会话 ${sessionId}）`}`,
});

export const contextLine: Said = (contexts) => ({ en: `context from ${contexts}`, zh: `背景信息来自 ${contexts}` });
export const endedLine: Said = (exit) => ({ en: `ended: ${exit}`, zh: `结束：${exit}` });
