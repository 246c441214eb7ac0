import type { Message } from "./message.ts";
import type { ToolSpec } from "./tool.ts";
import { BYTES_PER_TOKEN } from "./window.ts";

/** What a message costs beside its parts, tokens (nanobot.md §5.2). */
const PER_MESSAGE = 4;
/** What a picture counts for, however many bytes it has, tokens (hermes.md §1). */
const PICTURE = 1_600;

/** About how many tokens a text is. */
export const textTokens = (text: string): number => Math.ceil(text.length / BYTES_PER_TOKEN);

const known = new WeakMap<Message, number>();

/** About how many tokens a message is: counted once. */
export function messageTokens(message: Message): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  let tokens = PER_MESSAGE;
  for (const part of message.parts) {
    if (part.type === "image") tokens += PICTURE;
    else if (part.type === "tool-call") tokens += textTokens(part.name) + textTokens(part.input);
    else tokens += textTokens(part.text);
  }
  known.set(message, tokens);
  return tokens;
}

/** About how many tokens the tools of a request are. */
export const toolTokens = (tools: readonly ToolSpec[]): number =>
  tools.reduce((sum, { name, description, parameters }) => {
    return sum + textTokens(JSON.stringify({ name, description, parameters }));
  }, 0);
