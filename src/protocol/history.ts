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
 * message, in the order asked. Late receipts are moved there, orphan and second ones are dropped, lost ones filled in.
 */
export function legalHistory(messages: readonly Message[]): Message[] {
  const receipts = receiptsOf(messages);
  return messages.flatMap((message): Message[] => {
    if (message.role === "tool") return [];
    if (message.role === "user") return [message];
    return [message, ...callsOf(message).map(({ callId }) => receipts.get(callId)?.shift() ?? lostReceipt(callId))];
  });
}

/** By the call they answer; of a call's receipts only the first counts, and none that came before its call. */
function receiptsOf(messages: readonly Message[]): Map<string, ToolMessage[]> {
  const receipts = new Map<string, ToolMessage[]>();
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const { callId } of callsOf(message)) open.add(callId);
    if (message.role !== "tool" || !open.delete(message.callId)) continue;
    receipts.set(message.callId, [...(receipts.get(message.callId) ?? []), message]);
  }
  return receipts;
}

/** Stands where a damaged store has lost a message, or has one that belongs nowhere: it says nothing and is not sent. */
const NOTHING: AssistantMessage = { role: "assistant", parts: [] };

/**
 * A history as a damaged store gives it, made legal without moving any message, because facts point to places: lost
 * receipts are filled in, and what else is lost or out of place becomes silent. A sound history comes back as it is.
 */
export function mendHistory(history: readonly (Message | undefined)[]): Message[] {
  const mended: Message[] = [];
  for (let at = 0; at < history.length || at < mended.length; at++) {
    if (mended[at] !== undefined) continue;
    const message = history[at];
    const isLost = message === undefined || message.role === "tool";
    mended[at] = isLost ? NOTHING : message;
    if (isLost || message.role !== "assistant") continue;
    const receipts = callsOf(message).map(({ callId }, index) => receiptAt(history[at + 1 + index], callId));
    if (receipts.every((receipt) => receipt !== undefined)) mended.push(...receipts);
    else mended[at] = { ...message, parts: message.parts.filter((part) => part.type !== "tool-call") };
  }
  return mended;
}

/** Undefined where another message has taken the place of the receipt. */
function receiptAt(found: Message | undefined, callId: string): ToolMessage | undefined {
  if (found === undefined) return lostReceipt(callId);
  if (found.role !== "tool") return undefined;
  return found.callId === callId ? found : lostReceipt(callId);
}
