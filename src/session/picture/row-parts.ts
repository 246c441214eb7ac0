import type { AttemptStart } from "../../protocol/fact.ts";
import type { GuardrailCode } from "../../protocol/guardrails.ts";
import type { ToolCallPart, ToolMessage } from "../../protocol/message.ts";
import type { Cost } from "../../protocol/money.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { toolHint } from "../tool-hint.ts";
import type { TimedCharge } from "../spending.ts";
import type { AttemptEnd, AttemptRow, GuardWarning, PersonRow, ToolRow } from "./picture.ts";

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** What attempts took, by their number. */
export type AttemptCosts = ReadonlyMap<number, { readonly cost: Cost; readonly cacheBroke: boolean }>;

/** Less is no prefix that a provider caches (OpenAI and Anthropic: from 1,024 tokens on). */
const LEAST_CACHED = 1_024;

/** What of a prompt a cache holds behind a request. */
const cachedBy = ({ cacheRead, cacheWrite }: Usage): number => cacheRead + cacheWrite;

/** Where a cache brought less than half of what the request before had left in it, it is told as broken. */
export function costsOfAttempts(charges: Iterable<TimedCharge>): AttemptCosts {
  const costs = new Map<number, { readonly cost: Cost; readonly cacheBroke: boolean }>();
  let before: { readonly model: string; readonly cached: number } | undefined;
  for (const { charge } of charges) {
    if (charge.type !== "attempt") continue;
    const { attempt, model, usage, cost } = charge;
    const had = before?.model === model ? before.cached : 0;
    const cacheBroke = usage !== undefined && had >= LEAST_CACHED && usage.cacheRead < had / 2;
    costs.set(attempt, { cost, cacheBroke });
    if (usage !== undefined) before = { model, cached: cachedBy(usage) };
  }
  return costs;
}

interface Beginning {
  readonly fact: AttemptStart;
  readonly ms: number;
  readonly provider: string;
  readonly before: AttemptRow | undefined;
}

export const attemptRow = ({ fact, ms, provider, before }: Beginning): Open<AttemptRow> => ({
  type: "attempt",
  iteration: fact.iteration,
  attempt: fact.attempt,
  tries: before?.iteration === fact.iteration ? before.tries + 1 : 1,
  provider,
  model: fact.model,
  grace: fact.grace === true,
  rung: fact.rung ?? null,
  refunded: false,
  end: null,
  usage: null,
  cost: null,
  cacheBroke: false,
  startMs: ms,
  endMs: null,
});

export function replyEnd(calls: number, interrupted: boolean): AttemptEnd {
  if (interrupted) return { type: "stopped" };
  return calls > 0 ? { type: "calls", count: calls } : { type: "answer" };
}

/** A call, or the id of one that nobody knows. */
type Called = ToolCallPart | string;

const hintOf = (call: Called): string => (typeof call === "string" ? call : toolHint(call));

export const toolRow = (call: Called, iteration: number, ms: number): Open<ToolRow> => ({
  type: "tool",
  iteration,
  callId: typeof call === "string" ? call : call.callId,
  name: typeof call === "string" ? "" : call.name,
  hint: hintOf(call),
  beside: 0,
  status: null,
  detail: "",
  steered: false,
  files: 0,
  warning: null,
  startMs: ms,
  endMs: null,
});

export const personRow = (about: PersonRow["about"], asked: Called, ms: number): Open<PersonRow> => ({
  type: "person",
  about,
  hint: hintOf(asked),
  allowed: null,
  startMs: ms,
  endMs: null,
});

/** What a guardrail says is a part of its own behind the result, which no tool can have written (turn/guardrails.ts). */
export function warningIn({ parts }: ToolMessage): GuardWarning | null {
  for (const part of parts.slice(1)) {
    const [, code, count] = (part.type === "text" && /^\n\n\[\w+ (\w+) count=(\d+):/u.exec(part.text)) || [];
    if (code !== undefined) return { code: code as GuardrailCode, count: Number(count) };
  }
  return null;
}
