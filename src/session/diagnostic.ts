import { callsOf, type Message } from "../protocol/message.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { View } from "../turn/state.ts";

export interface Diagnostic {
  readonly level: "info" | "warn";
  readonly line: string;
  /** What the line is about, for programs: `event`, the ids of session and turn, and numbers and names; no content. */
  readonly fields: Readonly<Record<string, string | number>>;
}

const asksForTools = (message: Message | undefined): boolean =>
  message?.role === "assistant" && callsOf(message).length > 0;

/** The one log line of a turn (row J2): enough to see a silent stop, and no content. */
export function diagnosticOf(state: View, result: TurnResult): Diagnostic {
  const last = state.history.at(-1);
  const silent = last?.role === "tool" && !result.interrupted;
  const fields = {
    reason: result.exit.reason,
    model: result.model ?? "",
    calls: result.attempts,
    budget: `${state.budget.used}/${state.budget.max}`,
    tool_turns: state.history.slice(state.firstSeq).filter(asksForTools).length,
    last_role: last?.role ?? "none",
    response_chars: result.answer?.length ?? 0,
    session: result.sessionId ?? "",
  };
  const line = `turn-end ${Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ")}`;
  const ids = { event: "turn-end", session: fields.session, turn: state.turnId };
  const more = { code: result.exit.code, retries: result.retries, duration_ms: result.durationMs };
  return { level: silent ? "warn" : "info", line, fields: { ...ids, ...fields, ...more } };
}
