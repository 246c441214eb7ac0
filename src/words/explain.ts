import { plural } from "../protocol/plural.ts";
import type { Usage } from "../protocol/outcome.ts";
import { duration } from "./durations.ts";
import type { Text } from "./language.ts";

/** What stands below the steps of a turn: what was unusual in it, and what it took. Names in it are clean already. */

export const lastThing = (what: string, result: string): Text => ({
  en: `The last thing that happened: ${what}${result === "" ? "" : ` → ${result}`}.`,
  zh: `最后发生的事：${what}${result === "" ? "" : ` → ${result}`}。`,
});

interface Death {
  readonly afterMs: number;
  readonly goneMs: number;
  /** What ran then; empty: nothing that is known. */
  readonly running: Text;
}

export const processDied = ({ afterMs, goneMs, running }: Death): Text => ({
  en: `Its process died ${duration(afterMs, "en")} after the start${running.en === "" ? "" : `, while ${running.en}`}; the same turn was resumed ${duration(goneMs, "en")} later.`,
  zh: `进程在开始 ${duration(afterMs, "zh")}后终止${running.zh === "" ? "" : `，当时${running.zh}`}；${duration(goneMs, "zh")}后恢复了同一轮。`,
});

export const itRan = (calls: string): Text => ({ en: `it ran ${calls}`, zh: `正在运行 ${calls}` });
export const itAsked = (model: string): Text => ({ en: `${model} was being asked`, zh: `正在询问 ${model}` });

export const effectUnknown = (calls: string): Text => ({
  en: `Whether ${calls} had its effect is unknown: it was not run again by itself, and the model was told so.`,
  zh: `${calls} 是否已生效未知：没有自动再次运行，并已告知模型。`,
});

export const ranAgain = (calls: string): Text => ({
  en: `Run again after that, since it does no harm twice: ${calls}.`,
  zh: `之后再次运行（重复无害）：${calls}。`,
});

export const failedAlike = (times: number, calls: number, hint: string): Text => ({
  en: `Unusual: ${times} of ${plural(calls, "call")} were the same failing one: ${hint}.`,
  zh: `异常：${calls} 次调用中有 ${times} 次是同一个失败的调用：${hint}。`,
});

export const warnedTimes = (times: number, codes: string): Text => ({
  en: `Unusual: a guardrail warned ${plural(times, "time")} (${codes}).`,
  zh: `异常：防护警告了 ${times} 次（${codes}）。`,
});

export const requestsFailed = (times: number, requests: number, reasons: string): Text => ({
  en: `Unusual: ${times} of ${plural(requests, "request")} failed (${reasons}).`,
  zh: `异常：${requests} 个请求中有 ${times} 个失败（${reasons}）。`,
});

export const otherModels = (models: string): Text => ({
  en: `Unusual: other models took over (${models}).`,
  zh: `异常：其他模型接替（${models}）。`,
});

interface Took {
  readonly cost: Text;
  readonly usage: Usage;
  readonly requests: number;
  readonly used: number;
  /** Infinity: no limit. */
  readonly limit: number;
  readonly refunded: number;
}

export function tookLine({ cost, usage, requests, used, limit, refunded }: Took): Text {
  const [input, output] = [usage.input.toLocaleString("en-US"), usage.output.toLocaleString("en-US")];
  const share = usage.input === 0 ? 0 : Math.round((100 * usage.cacheRead) / usage.input);
  const most = limit === Infinity ? "" : ` / ${limit}`;
  return {
    en: `It took: ${cost.en}; ${input} tokens in (cache ${share} %), ${output} out; ${plural(requests, "request")}, iterations ${used}${most}${refunded === 0 ? "" : ` (${refunded} given back)`}.`,
    zh: `用量：${cost.zh}；输入 ${input} 个词元（缓存 ${share} %），输出 ${output}；${requests} 个请求，迭代 ${used}${most}${refunded === 0 ? "" : `（${refunded} 次不计）`}。`,
  };
}

export const cacheBroke = (iterations: string, command: string): Text => ({
  en: `The prompt cache broke at iteration ${iterations}: ${command} says why.`,
  zh: `提示缓存在第 ${iterations} 次迭代中断：${command} 说明原因。`,
});

export const seeFiles = (count: number): Text => ({
  en: `See what it changed (${plural(count, "file")}).`,
  zh: `查看它改动的内容（${count} 个文件）。`,
});
