import { callsOf, type Message } from "../protocol/message.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { View } from "../turn/state.ts";

export interface Diagnostic {
  /** `debug`: as it should be, for whoever looks closely. */
  readonly level: "debug" | "info" | "warn";
  readonly line: string;
  /** What the line is about, for programs: `event`, the ids of session and turn, and numbers and names; no content. */
  readonly fields: Readonly<Record<string, string | number>>;
}

/** What a turn has found out about how its requests are read, which nobody would notice otherwise; nothing as a rule. */
export function windowDiagnostics(
  { gauge, struckOut, strikes, turnId, provider, model }: View,
  session: string,
): Diagnostic[] {
  const about = { provider, model, session };
  const ids = { turn: turnId };
  const { truncated } = gauge;
  return [
    ...(struckOut ? [warning("compaction-off", { strikes, ...about }, ids)] : []),
    ...(truncated === undefined
      ? []
      : [warning("silent-truncation", { estimated: truncated.estimated, told: truncated.told, ...about }, ids)]),
  ];
}

function warning(event: string, fields: Diagnostic["fields"], ids: Diagnostic["fields"]): Diagnostic {
  return { level: "warn", line: `${event} ${written(fields)}`, fields: { event, ...ids, ...fields } };
}

const written = (fields: Diagnostic["fields"]): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");

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
  const line = `turn-end ${written(fields)}`;
  const ids = { event: "turn-end", session: fields.session, turn: state.turnId };
  const more = { code: result.exit.code, retries: result.retries, duration_ms: result.durationMs };
  return { level: silent ? "warn" : "info", line, fields: { ...ids, ...fields, ...more } };
}
