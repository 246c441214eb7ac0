import type { ExitCode } from "../protocol/exit.ts";
import type { Text } from "./language.ts";

/** What each exit code means, in a few words. */
export const CODE_WORDS: Readonly<Record<ExitCode, Text>> = {
  0: { en: "answered", zh: "已回答" },
  2: {
    en: "the command line was not understood, or names nothing that is there",
    zh: "命令行无法理解，或所指的不存在",
  },
  10: { en: "answered, but the answer is cut off or an earlier one", zh: "已回答，但回答不完整，或是较早的回答" },
  20: { en: "the limit of model calls was reached", zh: "已达到模型调用次数上限" },
  21: { en: "the money limit was reached", zh: "已达到费用上限" },
  22: { en: "the time limit was reached", zh: "已达到时间上限" },
  23: { en: "the model repeated itself and was stopped", zh: "模型原地重复，已被停止" },
  24: { en: "the conversation does not fit the model", zh: "对话放不进模型的上下文窗口" },
  30: { en: "parked: somebody has to decide or to answer", zh: "已暂停：等待有人决定或回答" },
  31: { en: "a tool failed, and the run was told to stop there", zh: "工具失败，而本轮被要求就此停止" },
  70: { en: "a defect of Evander", zh: "Evander 自身的缺陷" },
  73: { en: "what happened could not be saved or written", zh: "无法保存或写出结果" },
  75: { en: "it may pass: network, overload, or a busy session", zh: "暂时的问题：网络、过载，或会话正忙" },
  76: { en: "the model's replies could not be used", zh: "模型的回复无法使用" },
  77: { en: "the provider refused the key", zh: "服务商拒绝了密钥" },
  78: { en: "no model, or a setting that is not valid", zh: "没有模型，或设置无效" },
  79: { en: "the provider wants to be paid", zh: "服务商要求付费" },
  80: { en: "the provider refused the content", zh: "服务商拒绝了内容" },
  81: { en: "the answer did not fit its schema", zh: "回答不符合要求的结构" },
  130: { en: "stopped by Ctrl-C (SIGINT)", zh: "被 Ctrl-C（SIGINT）停止" },
  143: { en: "stopped by SIGTERM, or its terminal was closed", zh: "被 SIGTERM 停止，或终端已关闭" },
};
