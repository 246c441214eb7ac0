import { type ContextPart, type ImagePart, isBlank, type UserMessage, userText } from "../protocol/message.ts";

/** What a person or program hands in as a message, before anything is kept. */
export type Input = { readonly type: "text"; readonly text: string } | { readonly type: "blank" };

/**
 * Makes text safe to store and to send (row A4): lone surrogates become U+FFFD, NUL is dropped. Text that shows nothing
 * is refused: an empty user message makes every later request of a session illegal.
 */
export function readInput(raw: string): Input {
  const text = raw.toWellFormed().replaceAll("\0", "");
  return isBlank(text) ? { type: "blank" } : { type: "text", text };
}

interface Beside {
  readonly persistUserMessage?: string | undefined;
  readonly attachments?: readonly (ImagePart | ContextPart)[] | undefined;
}

/** The message a turn begins with. A text that shows nothing is stored as no other text. */
export function userMessage(text: string, { persistUserMessage = "", attachments = [] }: Beside): UserMessage {
  const persisted = readInput(persistUserMessage);
  const message = persisted.type === "blank" ? userText(text) : { ...userText(persisted.text), sent: text };
  return attachments.length === 0 ? message : { ...message, parts: [...message.parts, ...attachments] };
}
