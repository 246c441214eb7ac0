import type { AssistantMessage, Message, UserMessage } from "./message.ts";

/** What the model is sent where a history begins with an answer. */
export const EARLIER_MESSAGES = "[What was said before is not shown.]";

/**
 * What of a history is sent: assistants that neither say nor ask anything are left out (row C17), and neighbours of one
 * role become one message, since strict servers want the roles to alternate (hermes.md §5.2, §5.7). The archive keeps all.
 * `strict`: there is no exception to that.
 */
export function project(messages: readonly Message[], strict = false): Message[] {
  const sent: Message[] = [];
  for (const message of messages) {
    if (isSilent(message)) continue;
    const last = sent.at(-1);
    if (last !== undefined && mergesWith(last, message, strict)) sent[sent.length - 1] = merge(last, message);
    else sent.push(message);
  }
  return sent;
}

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

function merge(last: Message, message: Message): Message {
  if (last.role === "user" && message.role === "user") return mergeUsers(last, message);
  if (last.role === "assistant" && message.role === "assistant") return mergeAssistants(last, message);
  return message;
}

const BLANK_LINE = { type: "text", text: "\n\n" } as const;

const mergeUsers = (last: UserMessage, message: UserMessage): UserMessage => ({
  role: "user",
  parts: [...sentParts(last), BLANK_LINE, ...sentParts(message)],
});

const sentParts = ({ parts, sent }: UserMessage): UserMessage["parts"] =>
  sent === undefined ? parts : [{ type: "text", text: sent }, ...parts.filter((part) => part.type === "context")];

const mergeAssistants = (last: AssistantMessage, message: AssistantMessage): AssistantMessage => ({
  role: "assistant",
  parts: [...last.parts, BLANK_LINE, ...message.parts],
});
