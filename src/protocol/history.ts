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
 * message, in the order asked. Late receipts are moved there, orphan and second ones are dropped, lost ones filled in;
 * an id that was used before is made another one, the same each time. `before`: what it is to stand behind.
 */
export function legalHistory(messages: readonly Message[], before: readonly (Message | undefined)[] = []): Message[] {
  const receipts = receiptsOf(messages);
  const used = new Set(before.flatMap((message) => (message?.role === "tool" ? [message.callId] : [])));
  const legal: Message[] = [];
  for (const message of messages) {
    if (message.role === "tool") continue;
    const asked = message.role === "assistant" ? withUnusedIds(message, used) : message;
    legal.push(asked);
    if (asked.role !== "assistant" || message.role !== "assistant") continue;
    const calls = callsOf(asked);
    callsOf(message).forEach(({ callId }, at) => {
      const receipt = receipts.get(callId)?.shift() ?? lostReceipt(callId);
      const id = calls[at]?.callId ?? callId;
      legal.push(id === callId ? receipt : { ...receipt, callId: id });
    });
  }
  return legal;
}

/** The same message where all its ids are new. */
function withUnusedIds(message: AssistantMessage, used: Set<string>): AssistantMessage {
  let parts = message.parts;
  for (const [at, part] of message.parts.entries()) {
    if (part.type !== "tool-call") continue;
    const callId = unusedId(part.callId, used);
    if (callId !== part.callId) parts = parts.with(at, { ...part, callId });
  }
  return parts === message.parts ? message : { ...message, parts };
}

/** Every call has its receipt directly behind its message, in the order asked, and no receipt stands anywhere else. */
export function isWhole(messages: readonly Message[]): boolean {
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === "tool") return false;
    if (message?.role !== "assistant") continue;
    for (const part of message.parts) {
      if (part.type !== "tool-call") continue;
      const receipt = messages[++at];
      if (receipt?.role !== "tool" || receipt.callId !== part.callId) return false;
    }
  }
  return true;
}

function unusedId(callId: string, used: Set<string>): string {
  let id = callId;
  for (let times = 2; used.has(id); times++) id = `${callId}_${times}`;
  used.add(id);
  return id;
}

/** By the call they answer; of a call's receipts only the first counts, and none that came before its call. */
function receiptsOf(messages: readonly Message[]): Map<string, ToolMessage[]> {
  const receipts = new Map<string, ToolMessage[]>();
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const { callId } of callsOf(message)) open.add(callId);
    if (message.role !== "tool" || !open.delete(message.callId)) continue;
    const before = receipts.get(message.callId);
    if (before === undefined) receipts.set(message.callId, [message]);
    else before.push(message);
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

/**
 * The place at or before `at` where a conversation can be left and gone on with: no call is parted from its receipts
 * there, and no message of the user from what answers it. `roleAt`: of the message at a place, undefined behind the last.
 */
export function placeToLeave(at: number, roleAt: (seq: number) => Message["role"] | undefined): number {
  let place = at;
  while (place > 0 && (roleAt(place) === "tool" || roleAt(place - 1) === "user")) place--;
  return place;
}
