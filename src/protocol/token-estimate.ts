import type { Message } from "./message.ts";
import { scanTokens } from "./token-scan.ts";
import type { ToolSpec } from "./tool.ts";

/** What a message costs beside its parts, tokens (nanobot.md §5.2). */
const PER_MESSAGE = 4;
/** What a picture counts for, however many bytes it has, tokens (hermes.md §1). */
const PICTURE = 1_600;

/** Of a longer text, this many characters in even steps stand for the whole: an estimate takes no longer than these do. */
const READ_AT_MOST = 100_000;
const BLOCK = 2_000;

/** About how many tokens a text is, in o200k. Never blocks: it reads at most 100,000 characters, at some 10 ns each. */
export function textTokens(text: string): number {
  const { length } = text;
  if (length <= READ_AT_MOST) return Math.ceil(scanTokens(text, 0, length));
  const blocks = READ_AT_MOST / BLOCK;
  const stride = (length - BLOCK) / (blocks - 1);
  let tokens = 0;
  for (let block = 0; block < blocks; block += 1) {
    const from = Math.floor(block * stride);
    tokens += scanTokens(text, from, from + BLOCK);
  }
  return Math.ceil((tokens / READ_AT_MOST) * length);
}

const known = new WeakMap<Message | ToolSpec, number>();

/** About how many tokens a message is: counted once. */
export function messageTokens(message: Message): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const sent = message.role === "user" ? message.sent : undefined;
  let tokens = PER_MESSAGE + textTokens(sent ?? "");
  for (const part of message.parts) {
    if (part.type === "image") tokens += PICTURE;
    else if (part.type === "tool-call") tokens += textTokens(part.name) + textTokens(part.input);
    else if (part.type !== "text" || sent === undefined) tokens += textTokens(part.text);
  }
  known.set(message, tokens);
  return tokens;
}

/** About how many tokens the tools of a request are: each is counted once. */
export const toolTokens = (tools: readonly ToolSpec[]): number => tools.reduce((sum, tool) => sum + oneTool(tool), 0);

function oneTool(tool: ToolSpec): number {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const { name, description, parameters } = tool;
  const tokens = textTokens(JSON.stringify({ name, description, parameters }));
  known.set(tool, tokens);
  return tokens;
}
