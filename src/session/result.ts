import type { RequestSize } from "../protocol/fact.ts";
import { exitCode, type ExitReason, type InterruptSource, type RefusalReason } from "../protocol/exit.ts";
import type { Failure, FailureReason } from "../protocol/failure.ts";
import { callsOf, type Message, reasoningOf, textOf, type ToolMessage } from "../protocol/message.ts";
import { NO_USAGE, type Parked, type TurnOutcome, type WaitingCall } from "../protocol/outcome.ts";
import { costOfBill } from "../protocol/money.ts";
import type { ProviderAnswer } from "../protocol/provider.ts";
import type { NextStep, ResultError, ToolEvent, TurnResult } from "../protocol/result.ts";
import type { StoreError } from "../protocol/store.ts";
import { diedTooOften, stopText } from "../turn/decide.ts";
import { spentKeys } from "../turn/recovery/keys.ts";
import type { View } from "../turn/state.ts";
import { duration } from "../words/durations.ts";
import { type Course, type DoneByTool, exitWords, type MoneyCourse } from "../words/exits.ts";
import { type Language, type Text, wordsIn } from "../words/language.ts";
import { nextSteps, type Step } from "../words/steps.ts";
import { STORE_STEPS } from "../words/store.ts";
import { changedFiles } from "./changed-files.ts";
import { oneLine } from "./plain-text.ts";

/** What a session knows about its model and shows in every result. */
export interface About {
  readonly provider: string;
  /** Null, as `source`, where nobody knows any more. */
  readonly baseUrl: string | null;
  /** Which flag, variable or setting named the provider. */
  readonly source: string | null;
  /** The variable that the key was read from. */
  readonly keySource?: string;
  /** Of the sentences for people; English when absent. */
  readonly language?: Language;
}

/** A result with nothing in it yet; the shape is the same on every surface (row J7). */
const BLANK: Omit<TurnResult, "exit"> = {
  schema: "evander.result.v1",
  ok: false,
  completed: false,
  failed: false,
  partial: false,
  interrupted: false,
  answer: null,
  shown: null,
  structured: null,
  error: null,
  sessionId: null,
  turnId: null,
  model: null,
  provider: null,
  baseUrl: null,
  providerSource: null,
  iterations: { used: 0, limit: 0, refunded: 0 },
  attempts: 0,
  retries: 0,
  usage: NO_USAGE,
  cost: { usd: null, status: "unknown", source: null },
  cache: { hitRatio: null, brokeAt: null },
  toolEvents: [],
  files: [],
  lastReasoning: null,
  previewed: false,
  pendingSteer: [],
  interruptMessage: null,
  waitingFor: [],
  cleanupErrors: [],
  durationMs: 0,
};

export interface Refusal {
  readonly reason: ExitReason | RefusalReason;
  /** A narrower word than the reason, for the error's code. */
  readonly code?: string;
  /** Cause and next step, in one or two sentences. */
  readonly message: string | Text;
  readonly next?: readonly (Omit<NextStep, "text"> & { readonly text: string | Text })[];
  /** What helps, out of the catalogue, where it is more than the reason's own steps. */
  readonly steps?: readonly Step[];
  readonly sessionId?: string;
  readonly interruptedBy?: InterruptSource;
  /** What the provider's failure was, where the reason takes its exit code from it. */
  readonly failure?: FailureReason;
}

/** The result of an ask that never became a turn, or whose turn could not be kept. */
export function refusalResult(refusal: Refusal, language: Language = "en"): TurnResult {
  const { reason, code, message, sessionId, interruptedBy, failure } = refusal;
  const facts = { interruptedBy, ...(failure !== undefined && { failure: { reason: failure } }) };
  const words = exitWords(reason);
  const steps = stepsAfter(refusal, language);
  const explain = words?.explain[language] ?? null;
  return {
    ...BLANK,
    failed: interruptedBy === undefined,
    interrupted: interruptedBy !== undefined,
    sessionId: sessionId ?? null,
    exit: { reason, code: exitCode(reason, facts), detail: null, explain, next: steps },
    error: { code: code ?? reason, message: wordsIn(message, language), next: steps, status: null, retryAfterMs: null },
  };
}

/** Whoever has nothing of its own to say does not take away what helps after every such end. */
function stepsAfter({ reason, next = [], steps = [], sessionId }: Refusal, language: Language): NextStep[] {
  if (next.length > 0) return next.map((step) => ({ ...step, text: wordsIn(step.text, language) }));
  const known = steps.length > 0 ? steps : (exitWords(reason)?.next ?? []);
  return nextSteps(known, sessionId, language);
}

/** How a fault of the store ends what was asked. */
export const storeRefusal = ({ fault, sentence }: StoreError, sessionId?: string): Refusal => ({
  reason: fault === "busy" ? "session_busy" : "store_unavailable",
  message: sentence,
  steps: STORE_STEPS[fault],
  ...(sessionId !== undefined && { sessionId }),
});

/** Row J4: there is an answer, nothing failed, and it was given under the limit or is a plain answer. */
export const isCompleted = (facts: {
  readonly answer: string | null;
  readonly failed: boolean;
  readonly exit: ExitReason;
  readonly underLimit: boolean;
}): boolean => facts.answer !== null && !facts.failed && (facts.underLimit || facts.exit === "text_response");

/** How a run ends that has no model to ask: what may pass is told from what has to be set up. */
export function providerRefusal(none: Extract<ProviderAnswer, { type: "none" }>): Refusal {
  const { cause, message, next } = none;
  const told = { code: cause, message, next };
  switch (cause) {
    case "key_rejected":
      return { reason: "request_rejected", failure: "auth", ...told };
    case "unreachable":
    case "offline":
      return { reason: "all_retries_exhausted_no_response", failure: "timeout", ...told };
    default:
      return { reason: "no_provider", ...told };
  }
}

export interface Finished {
  readonly state: View;
  readonly outcome: TurnOutcome | Parked;
  readonly about: About;
  readonly sessionId: string;
  readonly durationMs: number;
  /** Somebody runs as next turns what was accepted and not delivered; else it comes back with the result. */
  readonly followed: boolean;
}

/** Of the server that was asked last: where it lies is known of the set-up's alone. */
const aboutAsked = (about: About, { provider, setup }: View): About =>
  provider === setup.provider ? about : { language: about.language ?? "en", provider, baseUrl: null, source: null };

/** The result of a turn, from its state alone. */
export function turnResult({ state, outcome, about: own, sessionId, durationMs, followed }: Finished): TurnResult {
  const about = aboutAsked(own, state);
  const reason = outcome.exit;
  const answer = "answer" in outcome ? outcome.answer : null;
  const code = exitCode(reason, "answer" in outcome ? outcome : {});
  const failed = FAILED.has(reason);
  const messages = state.history.slice(state.firstSeq);
  const { language = "en" } = about;
  const words = exitWords(reason, courseOf(state, outcome, about));
  const explain = words?.explain[language] ?? null;
  const next = nextSteps(words?.next ?? [], sessionId, language);
  return {
    ...BLANK,
    ok: code === 0,
    completed: isCompleted({ answer, failed, exit: reason, underLimit: isUnderLimit(state) }),
    failed,
    partial: PARTIAL.has(reason),
    interrupted: state.interruptedBy !== undefined,
    answer,
    shown: answer,
    exit: {
      reason,
      code,
      detail: detailOf(state, reason),
      explain,
      next,
    },
    error: code === 0 ? null : { ...errorOf(state, outcome, { explain, language }), next },
    sessionId,
    turnId: state.turnId,
    model: state.model,
    provider: about.provider,
    baseUrl: about.baseUrl,
    providerSource: about.source,
    iterations: { used: state.iteration, limit: state.setup.maxIterations, refunded: state.refunded },
    attempts: state.attempt,
    retries: state.retries,
    usage: state.usage,
    cost: costOfBill(state.ledger.bill),
    toolEvents: toolEvents(messages),
    files: changedFiles(state),
    lastReasoning: lastReasoning(messages),
    previewed: PREVIEWED.has(reason) && answer !== null,
    ...arrivalsOf(outcome, followed),
    durationMs,
  };
}

/** Of iterations, and of money. */
const isUnderLimit = ({ iteration, setup, purse }: View): boolean =>
  iteration < setup.maxIterations && purse?.end === undefined;

const FAILED: ReadonlySet<ExitReason> = new Set([
  "all_retries_exhausted_no_response",
  "request_rejected",
  "content_policy",
  "context_overflow",
  "ollama_runtime_context_too_small",
  "internal_error",
  "store_unavailable",
  "empty_response_exhausted",
]);
const PARTIAL: ReadonlySet<ExitReason> = new Set([
  "partial_stream_recovery",
  "output_truncated",
  "thinking_exhausted",
  "invalid_tool_calls",
]);
/** Their answer was shown before the turn ended, though no message holds it alone. */
const PREVIEWED: ReadonlySet<ExitReason> = new Set([
  "partial_stream_recovery",
  "fallback_prior_turn_content",
  "output_truncated",
]);

function arrivalsOf(
  outcome: TurnOutcome | Parked,
  followed: boolean,
): {
  pendingSteer: readonly string[];
  interruptMessage: string | null;
  waitingFor: readonly WaitingCall[];
} {
  if (!("answer" in outcome)) return { pendingSteer: [], interruptMessage: null, waitingFor: outcome.waitingFor };
  const { pendingSteer = [], undelivered = [], interruptMessage = null } = outcome;
  const left = followed ? pendingSteer : [...pendingSteer, ...undelivered];
  return { pendingSteer: left, interruptMessage, waitingFor: [] };
}

function detailOf(state: View, reason: ExitReason): Record<string, unknown> | null {
  switch (reason) {
    case "text_response":
      return { finishReason: state.finish };
    case "max_iterations_reached":
    case "budget_exhausted":
      return { used: state.iteration, limit: state.setup.maxIterations };
    case "money_limit": {
      const { why, spentUsd, limitUsd } = state.purse?.end ?? {};
      return { of: state.limit?.of, why, spentUsd, limitUsd };
    }
    case "time_limit":
      return { limitMs: state.timeUp ?? null };
    case "context_overflow":
      return sizeOf(state);
    case "ollama_runtime_context_too_small":
      return { window: state.failure?.loadedWindow ?? null, ...readOf(state), ...sizeOf(state) };
    case "guardrail_halt":
      return { ...state.guard.halt };
    case "internal_error":
      return diedTooOften(state) ? { resumes: state.resumes } : null;
    case "tool_error":
      return { tool: state.guard.toolError?.tool };
    default:
      return null;
  }
}

const sizeOf = ({ compactions, size }: View): Record<string, unknown> => ({ compactions, ...size });

/** What a server that cuts off the beginning has read of a request, tokens. */
function readOf({ gauge: { truncated } }: View): Record<string, unknown> {
  return truncated === undefined ? {} : { estimated: truncated.estimated, read: truncated.told };
}

const failureOf = (outcome: TurnOutcome | Parked): Failure | undefined =>
  "answer" in outcome ? outcome.failure : undefined;

const courseOf = (state: View, outcome: TurnOutcome | Parked, { keySource }: About): Course => ({
  keySource,
  provider: state.provider,
  failure: failureOf(outcome),
  tries: state.failures,
  spentKeys: spentKeys(state),
  answered: "answer" in outcome && outcome.answer !== null,
  ...(outcome.exit === "empty_response_exhausted" && { done: doneByTools(state) }),
  ...(diedTooOften(state) && { resumes: state.resumes }),
  limits: { iterations: state.setup.maxIterations, ms: state.timeUp, money: moneyOf(state) },
});

/** How a limit of money ended the turn, for words about it. */
export function moneyOf({ purse, limit, provider, model }: View): MoneyCourse | undefined {
  if (limit === undefined || purse?.end === undefined) return undefined;
  return { of: limit.of, usd: limit.usd, why: purse.end.why, model: `${provider}/${model}` };
}

/** Who wants to be left alone so long: the server, or nobody, and it is what has helped others. */
function waitWords(ms: number | undefined, asked: boolean, language: Language): string | undefined {
  if (ms === undefined || ms === 0) return undefined;
  const time = duration(ms, language);
  if (language === "zh") return asked ? `服务器要求等待 ${time}` : `请过 ${time} 再问`;
  return asked ? `The server asks to wait ${time}` : `Ask again in ${time}`;
}

/** Row D14: how large the request was that did not fit. */
function sizeWords(size: RequestSize | undefined, language: Language): string | undefined {
  if (size === undefined) return undefined;
  const [messages, bytes] = [size.messages, size.bytes.toLocaleString("en-US")];
  return language === "zh"
    ? `最小的请求仍有 ${messages} 条消息，共 ${bytes} 字节。`
    : `The smallest request still had ${messages} messages in ${bytes} bytes.`;
}

function errorOf(
  state: View,
  outcome: TurnOutcome | Parked,
  { explain, language }: { readonly explain: string | null; readonly language: Language },
): Omit<ResultError, "next"> {
  const failure = failureOf(outcome);
  const wait = failure?.retryAfterMs;
  const cause = failure?.message ?? state.bug ?? stopText(state, outcome.exit);
  const asked = waitWords(wait, state.failure?.retryAfterMs !== undefined, language);
  const tooLarge = outcome.exit === "context_overflow" ? sizeWords(state.size, language) : undefined;
  return {
    code: outcome.exit,
    message: [explain ?? outcome.exit, cause, asked, tooLarge]
      .flatMap((text) => (text === undefined ? [] : [sentence(text)]))
      .join(" "),
    status: failure?.status ?? null,
    retryAfterMs: wait ?? null,
  };
}

/** Ends with exactly one full stop, or with what it had. */
const sentence = (text: string): string => (/[.!?…。！？]$/u.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** One entry for each call of the turn, in the order asked. */
function toolEvents(messages: readonly (Message | undefined)[]): ToolEvent[] {
  const names = new Map<string, string>();
  const events: ToolEvent[] = [];
  for (const message of messages) {
    if (message?.role === "assistant") for (const call of callsOf(message)) names.set(call.callId, call.name);
    if (message?.role === "tool") events.push(toolEvent(message, names.get(message.callId) ?? ""));
  }
  return events;
}

/** Of the calls that ran, also those that failed; in the order of their names' first call. */
function doneByTools({ history, firstSeq }: View): DoneByTool[] {
  const ran = toolEvents(history.slice(firstSeq)).filter(({ status }) => status === "ok" || status === "error");
  const byName = Map.groupBy(ran, ({ name }) => oneLine(name));
  return [...byName].map(([tool, events]) => ({
    tool,
    times: events.length,
    failed: events.filter(({ status }) => status === "error").length,
  }));
}

const DETAIL_CHARS = 120;

function toolEvent(message: ToolMessage, name: string): ToolEvent {
  const [line = ""] = textOf(message).trim().split("\n", 1);
  return { name, status: message.status, detail: line.slice(0, DETAIL_CHARS) };
}

function lastReasoning(messages: readonly (Message | undefined)[]): string | null {
  for (const message of messages.toReversed()) {
    const reasoning = message === undefined ? "" : reasoningOf(message);
    if (reasoning !== "") return reasoning;
  }
  return null;
}
