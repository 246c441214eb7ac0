import { english } from "../../protocol/sentence.ts";
import type { DiskTrace } from "../../protocol/tool.ts";
import type { Fact } from "../../protocol/fact.ts";
import { callsOf } from "../../protocol/message.ts";
import type { SessionsOptions } from "../../session/sessions.ts";
import type { LogFields, LogFile } from "./log-file.ts";

/** Writes each fact of every turn, with the iteration and attempt it belongs to. */
export function traceOn(file: LogFile): NonNullable<SessionsOptions["trace"]> {
  /** Of the turns that run. */
  const places = new Map<string, LogFields>();
  return (fact, where) => {
    if (fact.type === "turn-start") places.delete(where.session);
    if (fact.type === "attempt-start") {
      const { iteration, attempt } = fact;
      places.set(where.session, { iteration, attempt });
    }
    // The end has a line of its own, with more in it.
    if (fact.type === "turn-end") {
      places.delete(where.session);
      return;
    }
    file.write("debug", { event: fact.type, ...where, ...places.get(where.session), ...factFields(fact) });
  };
}

/** What a fact says in ids, names and numbers; content is in the journal (`evander turn show`). */
function factFields(fact: Fact): LogFields {
  switch (fact.type) {
    case "turn-start":
      return { model: fact.model, provider: fact.provider };
    case "attempt-start":
      return { model: fact.model, ...(fact.size && { messages: fact.size.messages, bytes: fact.size.bytes }) };
    case "assistant-message":
      return { finish: fact.unknownFinish ?? fact.finish, tool_calls: callsOf(fact.message).length };
    case "model-failure": {
      const { reason, status, message } = fact.failure;
      return { reason, ...(status !== undefined && { status }), message };
    }
    case "retry-scheduled":
      return { delay_ms: fact.delayMs };
    case "segment-start":
      return { tool_call: fact.callIds.join(","), effect: fact.effect };
    case "receipt":
      return { tool_call: fact.message.callId, status: fact.message.status, ...diskFields(fact.disk) };
    case "approval-requested":
    case "approval-expired":
    case "question-asked":
      return { tool_call: fact.callIds.join(",") };
    case "question-answered":
      return { tool_call: fact.callId };
    case "approval-decided":
      return {
        tool_call: fact.callId,
        answer: fact.allow ? "allowed" : "denied",
        ...(fact.scope && { scope: fact.scope }),
      };
    case "guardrail-halt":
      return { code: fact.code, tool: fact.tool, count: fact.count };
    case "interrupt-requested":
      return { by: fact.by };
    case "model-switched":
      return { provider: fact.provider, model: fact.model, ...(fact.because && { reason: fact.because }) };
    case "key-rotated":
    case "key-refreshed":
      return { provider: fact.provider, from: fact.from, to: fact.to };
    case "rotation-failed":
      return { provider: fact.provider, key: fact.key };
    case "money-warning":
    case "money-asked":
    case "money-end":
      return { spent_usd: fact.spentUsd, limit_usd: fact.limitUsd };
    case "money-decided":
      return { answer: fact.allow ? "allowed" : "denied" };
    case "deadline-reached":
      return { limit_ms: fact.limitMs };
    case "bug-caught":
      return { message: fact.message };
    default:
      return {};
  }
}

/** What a call did to files; its paths are in the journal. */
function diskFields(disk: DiskTrace | undefined): LogFields {
  if (disk === undefined) return {};
  const { changes, more = 0, unkept } = disk;
  return { files: changes.length + more, ...(unkept !== undefined && { not_kept: english(unkept) }) };
}
