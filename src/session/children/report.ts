import type { ChildReport, ChildStatus } from "../../protocol/delegation.ts";
import type { ExitReason, RefusalReason } from "../../protocol/exit.ts";
import { callsOf, type Message, textOf } from "../../protocol/message.ts";
import { NO_USAGE } from "../../protocol/outcome.ts";
import type { TurnResult } from "../../protocol/result.ts";
import { type IsTrusted, taintIn } from "../../protocol/taint.ts";
import { oneLine } from "../plain-text.ts";

/** One that was stopped is no failure, and one whose iterations or money are gone is not done (nanobot.md §28.16). */
function statusOf(reason: ExitReason | RefusalReason, ok: boolean): ChildStatus {
  if (reason === "interrupted_by_user" || reason === "interrupted_during_api_call") return "interrupted";
  if (reason === "time_limit") return "timeout";
  return ok ? "completed" : "failed";
}

interface Ended {
  readonly index: number;
  readonly result: TurnResult;
  /** All that was said in its session. */
  readonly messages: readonly Message[];
  readonly isTrusted: IsTrusted;
}

/** What a child has come to, from the end of its turn. */
export function reportOf({ index, result, messages, isTrusted }: Ended): ChildReport {
  const { exit, ok, sessionId, model, attempts, durationMs, usage, cost, toolEvents, files } = result;
  const tainted = taintIn(messages, isTrusted);
  return {
    index,
    status: statusOf(exit.reason, ok),
    summary: summaryOf(result, messages),
    exit: exit.reason,
    sessionId,
    model,
    attempts,
    durationMs,
    usage,
    cost,
    toolEvents,
    denied: toolEvents.filter(({ status }) => status === "denied").map(({ name }) => oneLine(name)),
    files: files.map(({ path }) => path),
    ...(tainted !== undefined && { tainted }),
  };
}

/** So many of the newest results that came back are told where there is no account (nanobot.md §16). */
const LAST_RESULTS = 3;
const RESULT_CHARS = 300;

/** Whoever was stopped has seldom said anything: what its tools had brought is not lost. */
function summaryOf({ answer, error, exit }: TurnResult, messages: readonly Message[]): string {
  if (answer !== null && exit.code === 0) return answer;
  const said = [answer, error?.message].filter((text) => text !== null && text !== undefined);
  return [...said, ...partialLines(eventsIn(messages))].join("\n") || `It ended as ${exit.reason}.`;
}

/** One call of a child, as it is told where it did not come to its end. */
export interface PartialEvent {
  readonly name: string;
  readonly status: "ok" | "error";
  readonly detail: string;
}

/** The last results that came back, and the failure behind them. */
export function partialLines(events: readonly PartialEvent[]): string[] {
  const done = events.filter(({ status }) => status === "ok").slice(-LAST_RESULTS);
  const failed = events.findLast(({ status }) => status === "error");
  return [
    ...(done.length === 0 ? [] : ["Its last results:"]),
    ...done.map(({ name, detail }) => `- ${oneLine(name)}: ${detail}`),
    ...(failed === undefined ? [] : [`Failed: ${oneLine(failed.name)}: ${failed.detail}`]),
  ];
}

function eventsIn(messages: readonly Message[]): PartialEvent[] {
  const names = new Map<string, string>();
  const events: PartialEvent[] = [];
  for (const message of messages) {
    if (message.role === "assistant") for (const { callId, name } of callsOf(message)) names.set(callId, name);
    if (message.role !== "tool" || (message.status !== "ok" && message.status !== "error")) continue;
    const detail = oneLine(textOf(message), RESULT_CHARS);
    events.push({ name: names.get(message.callId) ?? "", status: message.status, detail });
  }
  return events;
}

/** Of a child that could not be run, or was not begun. */
export const unbegun = (index: number, why: string, status: ChildStatus = "error"): ChildReport => ({
  index,
  status,
  summary: why,
  exit: status === "interrupted" ? "interrupted_by_user" : "internal_error",
  sessionId: null,
  model: null,
  attempts: 0,
  durationMs: 0,
  usage: NO_USAGE,
  cost: { usd: 0, status: "actual", source: null },
  toolEvents: [],
  denied: [],
  files: [],
});
