import { type AssistantMessage, callsOf, type Message, type ToolMessage } from "./message.ts";

/** What the model reads where a call's answer was lost. */
const LOST = "Interrupted before it finished: whether it took effect is unknown.";

export const lostReceipt = (callId: string): ToolMessage => ({
  role: "tool",
  callId,
  status: "interrupted",
  parts: [{ type: "text", text: LOST }],
});

/**
 * Makes a history from elsewhere legal, as ours always is: every call is answered exactly once, directly behind its
 * message, in the order asked. Orphan and second receipts are dropped, lost ones are filled in.
 */
export function legalHistory(messages: readonly Message[]): Message[] {
  const legal: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === "tool") continue;
    legal.push(message);
    if (message.role === "assistant") legal.push(...receiptsFor(message, messages, at + 1));
  }
  return legal;
}

function receiptsFor(message: AssistantMessage, messages: readonly Message[], from: number): ToolMessage[] {
  const found = new Map<string, ToolMessage>();
  for (let at = from; messages[at]?.role === "tool"; at++) {
    const receipt = messages[at] as ToolMessage;
    if (!found.has(receipt.callId)) found.set(receipt.callId, receipt);
  }
  return callsOf(message).map(({ callId }) => found.get(callId) ?? lostReceipt(callId));
}
