import { isObject } from "../protocol/json.ts";
import { assistantText } from "../protocol/message.ts";
import type { Failure } from "../protocol/failure.ts";
import type { ModelReply, OtherRuntime, RuntimeReply, TurnLog, TurnPorts } from "../protocol/ports.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { Action } from "./decide.ts";
import { Patience } from "./patience.ts";
import { recordReply } from "./record-reply.ts";
import type { View } from "./state.ts";

type DelegateTurn = Extract<Action, { do: "delegate-turn" }>;

/**
 * One attempt of ours: on disk before the other runtime hears of it, so that a process that dies under it never asks
 * it twice. What is said meanwhile waits until it has answered.
 */
export async function delegateTurn(action: DelegateTurn, state: View, ports: TurnPorts, log: TurnLog): Promise<void> {
  const { runtime, iteration } = action;
  const attempt = state.attempt + 1;
  log.record({ type: "attempt-start", attempt, iteration, model: runtime });
  await log.barrier();
  let shown = "";
  const show = (text: string): void => {
    if (log.signal.aborted || text === "") return;
    log.emit([...(shown === "" ? [{ type: "first-delta", attempt } as const] : []), { type: "text-delta", text }]);
    shown += text;
  };
  const patience = new Patience(ports, log.signal);
  const reply = await Promise.race([ask(ports.runtime, state, show, log.signal), patience.over]);
  patience.end();
  if (reply === undefined || log.signal.aborted)
    return recordReply({ type: "aborted", text: shown, reasoning: "" }, state, ports, log);
  if (reply.type === "answer" && shown === "" && reply.text.trim() !== "") show(reply.text);
  recordReply(replyOf(reply, shown), state, ports, log);
}

async function ask(
  runtime: OtherRuntime | undefined,
  state: View,
  show: (text: string) => void,
  signal: AbortSignal,
): Promise<RuntimeReply> {
  try {
    if (runtime === undefined) throw new Error(`there is no runtime named ${state.setup.runtime ?? ""}`);
    const reply: unknown = await runtime.answer(state.history, show, signal);
    if (isReply(reply)) return reply;
    throw new Error(`the runtime ${runtime.name} returned neither an answer nor a failure`);
  } catch (error) {
    return { type: "failure", failure: { ...FAILED, message: reasonOf(error) } };
  }
}

/** Other people's code says what it likes, whatever the types say. */
function isReply(reply: unknown): reply is RuntimeReply {
  if (!isObject(reply)) return false;
  if (reply["type"] === "answer") return typeof reply["text"] === "string";
  const { type, failure } = reply;
  return type === "failure" && isObject(failure) && typeof failure["message"] === "string";
}

const FAILED: Omit<Failure, "message"> = {
  reason: "unknown",
  retryable: false,
  shouldCompress: false,
  shouldRotateCredential: false,
  shouldFallback: false,
};

function replyOf(reply: RuntimeReply, shown: string): ModelReply {
  if (reply.type === "failure")
    return { ...reply, ...(shown !== "" && { partial: { text: shown, reasoning: "", droppedTools: [] } }) };
  const { usage } = reply;
  const text = reply.text.trim() === "" ? shown : reply.text;
  const used = usage === undefined ? {} : { usage };
  if (text.trim() === "") return { type: "empty", ...used };
  return { type: "message", message: assistantText(text), finish: "stop", ...used };
}
