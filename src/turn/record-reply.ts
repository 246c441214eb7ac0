import { type AssistantMessage, callsOf } from "../protocol/message.ts";
import type { ModelReply, TurnLog, TurnPorts } from "../protocol/ports.ts";
import type { Inspection } from "../protocol/tool.ts";
import { inspectBatch } from "./batch.ts";
import type { View } from "./state.ts";

/** What a model, or another runtime, gave becomes one fact. */
export function recordReply(reply: ModelReply, state: View, ports: TurnPorts, log: TurnLog): void {
  const seq = state.history.length;
  switch (reply.type) {
    case "failure":
      return log.record({ ...reply, type: "model-failure" });
    case "empty":
      return log.record({ ...reply, type: "reply-empty" });
    case "cut":
      return log.record({ ...reply, type: "reply-cut" });
    case "aborted":
      if (reply.text === "") return;
      return log.record({ type: "assistant-message", seq, message: interruptedReply(reply), finish: "stop" });
    case "message": {
      const inspections = inspectAll(reply.message, state, ports);
      return log.record({ ...reply, type: "assistant-message", seq, ...(inspections && { inspections }) });
    }
  }
}

/** What was streamed before a stop is kept (row B15). */
export const interruptedReply = ({ text, reasoning }: Extract<ModelReply, { type: "aborted" }>): AssistantMessage => ({
  role: "assistant",
  parts: [...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]), { type: "text", text }],
  interrupted: true,
});

function inspectAll(
  message: AssistantMessage,
  { history, setup }: View,
  ports: TurnPorts,
): readonly Inspection[] | undefined {
  const calls = callsOf(message);
  if (calls.length === 0) return undefined;
  const canAsk = setup.approvals === "ask" || setup.approvals === "park";
  const byRules = canAsk || setup.approvals === "rules";
  const seen = { history, reply: calls, canAsk, byRules, sessionId: ports.sessionId };
  return inspectBatch(
    calls,
    calls.map((call) => ports.tools.inspect(call, seen)),
    setup.children,
  );
}
