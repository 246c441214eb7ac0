import type { AssistantMessage, Message, TextPart, UserMessage } from "../message.ts";
import { isPlaceholder } from "./placeholder.ts";
import { sentReceipt } from "./receipts.ts";

/** What the model is sent where a history begins with an answer. */
export const EARLIER_MESSAGES = "[What was said before is not shown.]";

/**
 * What of a legal history is sent: assistants that neither say nor ask anything are left out (row C17), and so is what
 * stands for an answer that never came; neighbours of one role become one message, since strict servers want the roles
 * to alternate (hermes.md §5.2, §5.7). The archive keeps all. `strict`: there is no exception to that.
 *
 * A message is shown the same whatever follows it, and one that is shown as it is stays the same object.
 */
export function project(messages: readonly Message[], strict = false): Message[] {
  const sent: Message[] = [];
  let last: Message | undefined;
  let more: Message[] = [];
  for (const message of messages) {
    const shown = shownAs(message);
    if (shown === undefined) continue;
    if (mergesWith(more.at(-1) ?? last, shown, strict)) {
      more.push(shown);
      continue;
    }
    if (last !== undefined) sent.push(together(last, more));
    [last, more] = [shown, more.length === 0 ? more : []];
  }
  if (last !== undefined) sent.push(together(last, more));
  return sent;
}

/** A message by itself as it is sent; undefined: it is not. */
export function shownAs(message: Message): Message | undefined {
  if (!isSent(message)) return undefined;
  return message.role === "tool" ? sentReceipt(message) : message;
}

/** There is something in it for the model. */
export const isSent = (message: Message): boolean => !isSilent(message) && !isPlaceholder(message);

/**
 * Two messages that are one where they stand side by side. What came in mid-turn is none, but for strict servers: the
 * message before it may have been sent, and what was sent is not rewritten.
 */
export function mergesWith(last: Message | undefined, message: Message | undefined, strict = false): boolean {
  if (message?.role === "user") return last?.role === "user" && (strict || message.midTurn !== true);
  return message?.role === "assistant" && last?.role === "assistant";
}

const isSilent = ({ role, parts }: Message): boolean =>
  role === "assistant" &&
  parts.every((part) => part.type !== "tool-call" && (part.type !== "text" || part.text.trim() === ""));

/** Neighbours of one role as one message. */
function together(first: Message, more: readonly Message[]): Message {
  if (more.length === 0) return first;
  const all = [first, ...more];
  return first.role === "user"
    ? { role: "user", ...(first.midTurn === true && { midTurn: true }), parts: joined(all.map(partsOfUser)) }
    : { role: "assistant", parts: joined(all.map(partsOfAssistant)) };
}

const BLANK_LINE: TextPart = { type: "text", text: "\n\n" };

const joined = <Part>(lists: readonly (readonly Part[])[]): (Part | TextPart)[] =>
  lists.flatMap((parts, at): (Part | TextPart)[] => (at === 0 ? [...parts] : [BLANK_LINE, ...parts]));

/** What is sent of what the user said; nothing of others. */
export const partsOfUser = (message: Message): UserMessage["parts"] =>
  message.role !== "user" ? [] : message.sent === undefined ? message.parts : sentInstead(message.sent, message);

const sentInstead = (text: string, { parts }: UserMessage): UserMessage["parts"] => [
  { type: "text", text },
  ...parts.filter((part) => part.type === "context"),
];

const partsOfAssistant = (message: Message): AssistantMessage["parts"] =>
  message.role === "assistant" ? message.parts : [];
