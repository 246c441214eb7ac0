import type { Failure } from "../protocol/failure.ts";
import { duration } from "./durations.ts";
import type { Language, Text } from "./language.ts";

const YES: Readonly<Record<"yes" | "no", Text>> = { yes: { en: "yes", zh: "是" }, no: { en: "no", zh: "否" } };

const answer = (value: boolean, language: Language): string => (value ? YES.yes : YES.no)[language];

const LABELS = {
  rule: { en: "rule", zh: "规则" },
  retry: { en: "try again", zh: "重试" },
  compress: { en: "make it shorter", zh: "压缩" },
  rotate: { en: "next key", zh: "换密钥" },
  fallback: { en: "next model", zh: "换模型" },
  wait: { en: "wait", zh: "等待" },
  code: { en: "code", zh: "代码" },
  window: { en: "window", zh: "窗口" },
  output: { en: "room for output", zh: "输出余量" },
  side: { en: "longest side of a picture", zh: "图像最长边" },
} as const satisfies Readonly<Record<string, Text>>;

const LABEL_COLUMNS = 26;

const labelled = (label: Text, value: string, language: Language): string =>
  language === "zh" ? `  ${label.zh}：${value}` : `  ${label.en.padEnd(LABEL_COLUMNS)}${value}`;

/** What a failure is taken for, and why, a line each. */
export function classifiedLines(failure: Failure, language: Language): string[] {
  const { reason, status, rule, code, retryAfterMs, contextLimit, outputRoom, imageMaxDimension } = failure;
  const tokens = (count: number): string => (language === "zh" ? `${count} 个词元` : `${count} tokens`);
  const line = (label: keyof typeof LABELS, value: string | undefined): string[] =>
    value === undefined ? [] : [labelled(LABELS[label], value, language)];
  return [
    `${reason}${status === undefined ? "" : `  HTTP ${status}`}`,
    ...line("rule", rule),
    ...line("retry", answer(failure.retryable, language)),
    ...line("compress", answer(failure.shouldCompress, language)),
    ...line("rotate", answer(failure.shouldRotateCredential, language)),
    ...line("fallback", answer(failure.shouldFallback, language)),
    ...line("wait", retryAfterMs === undefined ? undefined : duration(retryAfterMs, language)),
    ...line("code", code),
    ...line("window", contextLimit === undefined ? undefined : tokens(contextLimit)),
    ...line("output", outputRoom === undefined ? undefined : tokens(outputRoom)),
    ...line("side", imageMaxDimension === undefined ? undefined : `${imageMaxDimension} px`),
  ];
}

const SHAPE = '{"error": {"type": "APIError", "message": "…", "status_code": 429, "body": {…}}}';

export const DEBUG_WORDS: Readonly<Record<"nothing" | "typed" | "tooLong", Text>> = {
  nothing: {
    en: `There is no failure in what was handed in: give JSON such as ${SHAPE}, one a line, or the body of a reply with --status N.`,
    zh: `输入中没有失败信息：请给出形如 ${SHAPE} 的 JSON（每行一个），或用 --status N 给出回复正文。`,
  },
  typed: {
    en: "Nothing was handed in: name a file, or pipe the failure in.",
    zh: "没有输入：请指定文件，或通过管道传入失败信息。",
  },
  tooLong: {
    en: "That is more than 16 MB: hand it in in parts.",
    zh: "输入超过 16 MB：请分几次传入。",
  },
};

export const noSuchFailureFile = (path: string, why: Text): Text => ({
  en: `The file ${path} cannot be read (${why.en}): name one that holds failures, or - for stdin.`,
  zh: `无法读取文件 ${path}（${why.zh}）：请指定包含失败信息的文件，或用 - 表示 stdin。`,
});

export const notAFailure = (line: number): Text => ({
  en: `Line ${line} is no failure: it is to be JSON such as ${SHAPE}; the body of a reply needs --status N.`,
  zh: `第 ${line} 行不是失败信息：应是形如 ${SHAPE} 的 JSON；回复正文需要 --status N。`,
});

export const notANumber = (option: string, value: string): Text => ({
  en: `${option} takes a whole number, and ${JSON.stringify(value)} is none.`,
  zh: `${option} 需要整数，而 ${JSON.stringify(value)} 不是。`,
});

export const notAHeader = (value: string): Text => ({
  en: `--header takes NAME=VALUE, and ${JSON.stringify(value)} has no "=".`,
  zh: `--header 的格式是 NAME=VALUE，而 ${JSON.stringify(value)} 里没有 "="。`,
});
