import type { ExitReason, RefusalReason } from "../protocol/exit.ts";
import type { MoneyEnd } from "../protocol/fact.ts";
import type { Failure } from "../protocol/failure.ts";
import type { LimitScope } from "../protocol/money.ts";
import { plural } from "../protocol/plural.ts";
import { failureWords } from "./failures.ts";
import { DECIDE, EXPLAIN, LIST, RESUME, raiseLimit, RETRY, shellWord, type Step, type Words } from "./steps.ts";
import { BUSY } from "./store.ts";

/** Ends whose words are those of the failure that brought them. */
type FailedExit = "all_retries_exhausted_no_response" | "request_rejected";

const step = (what: string, en: string, zh: string, command: string | null = null): Step => ({
  do: what,
  text: { en, zh },
  command,
});

const words = (en: string, zh: string, ...next: readonly Step[]): Words => ({ explain: { en, zh }, next });

const OTHER_MODEL = step("switch-model", "Try another model with --model.", "用 --model 换一个模型试试。");

/** The words for every end that is not a plain answer, keyed by exit reason (rows J3, X1). */
const EXIT_WORDS: Readonly<Record<Exclude<ExitReason | RefusalReason, "text_response" | FailedExit>, Words>> = {
  partial_stream_recovery: words(
    "The connection broke while the model was answering; the text is what had arrived.",
    "模型回答时连接中断；文本是已经收到的部分。",
    RETRY,
  ),
  fallback_prior_turn_content: words(
    "The model's last reply was empty; the text is what it had said before its last step.",
    "模型的最后一次回复是空的；文本是它在最后一步之前说的话。",
    RETRY,
  ),
  budget_exhausted: words("The shared iteration budget is used up.", "共享的迭代预算已用完。", RETRY),
  max_iterations_reached: words(
    "The iteration limit was reached before the work was done; the text is the model's summary, if it gave one.",
    "工作完成之前已达到迭代上限；如果有文本，它是模型的总结。",
    step(
      "continue",
      "Let it go on; a higher --max-iterations gives it more room.",
      "让它继续；更大的 --max-iterations 给它更多空间。",
      RETRY.command,
    ),
  ),
  money_limit: words(
    "The money limit was reached; what had been done and said by then is kept.",
    "已达到费用上限；此前完成和说出的内容都已保留。",
    step("cost", "See what each request cost.", "查看每次请求的费用。", "evander turn cost last"),
  ),
  time_limit: words(
    "The time limit of this turn was reached; what had been done and said by then is kept.",
    "已达到本轮的时间上限；此前完成和说出的内容都已保留。",
    step(
      "continue",
      "Let it go on; a higher --max-time gives it more time.",
      "让它继续；更大的 --max-time 给它更多时间。",
      RETRY.command,
    ),
  ),
  guardrail_halt: words(
    "The model repeated itself without progress and was stopped.",
    "模型在原地重复而没有进展，已被停止。",
    EXPLAIN,
  ),
  context_overflow: words(
    "The conversation no longer fits the model's context window.",
    "对话已超出模型的上下文窗口。",
    step(
      "new-session",
      "Start a new session, shorten the message, or use a model with a larger window.",
      "开始新会话、缩短消息，或换用窗口更大的模型。",
    ),
  ),
  ollama_runtime_context_too_small: words(
    "The server has the model loaded with a context window that is too small for this request and a reply.",
    "服务器加载模型时的上下文窗口太小，放不下这个请求和回复。",
    step(
      "configure",
      "Load the model with a larger context window; this is how Ollama does it (llama.cpp: llama-server -c 16384).",
      "用更大的上下文窗口加载模型；Ollama 用下面的命令（llama.cpp：llama-server -c 16384）。",
      "OLLAMA_CONTEXT_LENGTH=16384 ollama serve",
    ),
  ),
  parked_for_approval: words(
    "The turn stands still until somebody allows or denies a tool call.",
    "本轮已暂停，等待有人允许或拒绝工具调用。",
    DECIDE,
    { ...RESUME, text: { en: "Go on, and answer the question at a terminal.", zh: "继续，并在终端里回答问题。" } },
    step("allow", "Go on, and allow every call.", "继续，并允许所有调用。", `${RESUME.command} --approve all`),
  ),
  parked_for_answer: words(
    "The turn stands still until somebody answers a question.",
    "本轮已暂停，等待有人回答问题。",
    RESUME,
  ),
  tool_error: words(
    "A tool failed, and this turn was told to stop at the first failure.",
    "有工具失败，而本轮被要求在首次失败时停止。",
    EXPLAIN,
  ),
  internal_error: words(
    "A defect of Evander stopped the turn; what was done is kept.",
    "Evander 自身的缺陷中止了本轮；已完成的部分都已保存。",
    EXPLAIN,
    RETRY,
  ),
  error_near_max_iterations: words(
    "An error came up close to the iteration limit.",
    "在接近迭代上限时发生了错误。",
    EXPLAIN,
  ),
  pending_tool_result: words(
    "The turn ended while a tool's answer was still open.",
    "本轮结束时仍有工具的结果没有回来。",
    EXPLAIN,
  ),
  store_unavailable: words(
    "The session could not be saved, so the turn was stopped: nothing that happened is unsaved but the last step.",
    "会话无法保存，因此本轮已停止：除最后一步外，其余都已保存。",
    RETRY,
  ),
  empty_response_exhausted: words(
    "The model answered with nothing, several times.",
    "模型多次返回空的回复。",
    RETRY,
    OTHER_MODEL,
  ),
  output_truncated: words(
    "The answer was cut off at the model's output limit.",
    "回答在模型的输出上限处被截断。",
    step("continue", "Let it continue.", "让它继续。", RETRY.command),
  ),
  thinking_exhausted: words("The model used its whole output for thinking.", "模型把全部输出都用在了思考上。", RETRY),
  invalid_tool_calls: words(
    "The model kept making tool calls that cannot run.",
    "模型一再发出无法执行的工具调用。",
    RETRY,
  ),
  no_provider: words("No model is configured.", "没有配置模型。"),
  content_policy: words(
    "The provider refused this content; asking again would not change that.",
    "服务商拒绝了这些内容；再问也不会改变结果。",
    step("rephrase", "Leave out what was refused, or say it in other words.", "去掉被拒绝的内容，或换一种说法。"),
    OTHER_MODEL,
  ),
  schema_unsatisfied: words("The answer did not fit the schema it was asked to fit.", "回答不符合要求的结构。", RETRY),
  interrupted_by_user: words("Stopped before the turn was done.", "本轮在完成之前被停止。", RETRY),
  interrupted_during_api_call: words(
    "Stopped while the model was answering; what had arrived is kept.",
    "在模型回答时被停止；已收到的内容都已保存。",
    RETRY,
  ),
  usage_error: words(
    "The command line was not understood.",
    "无法理解这个命令行。",
    step("help", "See the options.", "查看选项。", "evander --help"),
  ),
  session_not_found: words("There is no such session.", "没有这个会话。", LIST),
  session_busy: words("Another process is working in this session.", "另一个进程正在使用这个会话。", BUSY),
  config_invalid: words(
    "A setting is not valid.",
    "有一项设置无效。",
    step(
      "help",
      "See every setting and what it takes, at the end of the help.",
      "在帮助的末尾查看每项设置及其取值。",
      "evander --help",
    ),
  ),
};

/** How a turn came to its end, as far as the words depend on it. */
export interface Course {
  readonly failure?: Failure | undefined;
  /** Calls that failed in the last iteration. */
  readonly tries?: number;
  /** The variable that holds the key. */
  readonly keySource?: string | undefined;
  /** Who was asked. */
  readonly provider?: string | undefined;
  /** So many keys of the provider were there, and none is left. */
  readonly spentKeys?: number | undefined;
  /** There is text to show. */
  readonly answered?: boolean;
  /** What the turn's tools did, in the order in which they were first called. */
  readonly done?: readonly DoneByTool[];
  /** So often its process went down and it was taken up again, and that is why it ended; absent: that is not why. */
  readonly resumes?: number;
  /** Model calls and ms that the turn was allowed. */
  readonly limits?: {
    readonly iterations: number;
    readonly ms: number | undefined;
    readonly money: MoneyCourse | undefined;
  };
}

export interface DoneByTool {
  readonly tool: string;
  readonly times: number;
  /** Of these. */
  readonly failed: number;
}

/** How a limit of money ended a turn. */
export interface MoneyCourse {
  readonly of: LimitScope;
  /** US dollars. */
  readonly usd: number;
  readonly why: MoneyEnd["why"];
  /** PROVIDER/MODEL. */
  readonly model: string;
}

const NOTHING_ARRIVED = words("Stopped while the model was being asked.", "在询问模型时被停止。", RETRY);
const NOT_ASKED = words("The model could not be asked.", "无法询问模型。", EXPLAIN);

/** The words for an end; undefined for a plain answer. */
export function exitWords(reason: ExitReason | RefusalReason, course: Course = {}): Words | undefined {
  switch (reason) {
    case "text_response":
      return undefined;
    case "all_retries_exhausted_no_response":
    case "request_rejected":
      return course.failure === undefined ? NOT_ASKED : failureWords(course.failure, course);
    case "interrupted_during_api_call":
      return course.answered === false ? NOTHING_ARRIVED : EXIT_WORDS[reason];
    case "empty_response_exhausted":
      return withDone(EXIT_WORDS[reason], course.done ?? []);
    case "max_iterations_reached":
      return withStep(EXIT_WORDS[reason], moreIterations(course.limits?.iterations));
    case "time_limit":
      return withStep(EXIT_WORDS[reason], moreTime(course.limits?.ms));
    case "money_limit":
      return moneyWords(course.limits?.money);
    case "internal_error":
      return course.resumes === undefined ? EXIT_WORDS[reason] : diedWords(course.resumes);
    default:
      return EXIT_WORDS[reason];
  }
}

/** It was taken up again so often, the last time to be closed. */
const diedWords = (resumes: number): Words =>
  words(
    `The process that ran the turn went down ${resumes} times, so it is not tried again: something it does may take the process with it. What was done is kept.`,
    `运行本轮的进程已经消失 ${resumes} 次，因此不再重试：本轮所做的事可能会使进程终止。已完成的部分都已保存。`,
    EXPLAIN,
    RETRY,
  );

const PRICED = words(
  "Nobody knows what this model costs, so a money limit cannot be kept, and nothing more was asked.",
  "没有人知道该模型的价格，因此无法遵守费用上限，没有再提出请求。",
);

function moneyWords(money: MoneyCourse | undefined): Words {
  if (money?.why === "unknown-price") return { ...PRICED, next: priceSteps(money.model) };
  return withStep(EXIT_WORDS.money_limit, money && moreMoney(money));
}

/** Twice as much. */
const moreMoney = ({ of, usd }: MoneyCourse): Step =>
  of === "turn"
    ? raiseLimit("--max-cost", String(2 * usd))
    : raiseLimit("--config", `${of === "day" ? "maxDayCost" : "maxSessionCost"}=${2 * usd}`);

const priceSteps = (model: string): Step[] =>
  (["input", "output"] as const).map((rate) => {
    const key = shellWord(`models.${model}.prices.${rate}`);
    return step(
      "set-price",
      `Say what a million tokens of ${rate} cost, in US dollars.`,
      `说明每百万 ${rate} 词元的美元价格。`,
      `evander config set ${key} USD`,
    );
  });

/** Tools that are named where no answer comes. */
const NAMED_TOOLS = 8;

/** Where the model says nothing of its work, the work is told. */
function withDone({ explain, next }: Words, done: readonly DoneByTool[]): Words {
  if (done.length === 0) return { explain, next };
  const named = done.slice(0, NAMED_TOOLS);
  const more = done.length - named.length;
  const en = named.map((each) => `${each.tool} ${plural(each.times, "time")}${failedOf(each, " (", " failed)")}`);
  const zh = named.map((each) => `${each.tool} ${each.times} 次${failedOf(each, "（", " 次失败）")}`);
  const others = {
    en: more === 0 ? "" : `, and ${more} more tools`,
    zh: more === 0 ? "" : `，以及另外 ${more} 个工具`,
  };
  return {
    explain: {
      en: `${explain.en} Before that these ran: ${en.join(", ")}${others.en}; what they did stands.`,
      zh: `${explain.zh}在此之前运行了：${zh.join("，")}${others.zh}；其结果仍然有效。`,
    },
    next,
  };
}

const failedOf = ({ failed }: DoneByTool, before: string, behind: string): string =>
  failed === 0 ? "" : `${before}${failed}${behind}`;

const withStep = ({ explain, next }: Words, more: Step | undefined): Words => ({
  explain,
  next: more === undefined ? next : [...next, more],
});

/** Twice as many. */
const moreIterations = (limit = Infinity): Step | undefined =>
  Number.isFinite(limit) ? raiseLimit("--max-iterations", String(2 * limit)) : undefined;

/** Twice as long, as far as a timer goes. */
const moreTime = (ms: number | undefined): Step | undefined =>
  ms === undefined || 2 * ms >= 2 ** 31
    ? undefined
    : raiseLimit("--max-time", (2 * ms) % 1000 === 0 ? `${ms / 500}s` : `${2 * ms}ms`);
