import type { Message } from "./message.ts";
import { type Family, O200K } from "./token-family.ts";
import { PARTS, scanTokens } from "./token-scan.ts";
import type { ToolSpec } from "./tool.ts";
import { PICTURE_TOKENS } from "./window.ts";

/** What a message costs beside its parts, tokens (nanobot.md §5.2). */
const PER_MESSAGE = 4;

/** Of a longer text, this many characters in even steps stand for the whole: an estimate takes no longer than these do. */
const READ_AT_MOST = 100_000;
const BLOCK = 2_000;

/** About how many tokens a text is. Never blocks: it reads at most 100,000 characters, at some 10 ns each. */
export function textTokens(text: string, family: Family = O200K): number {
  const { length } = text;
  const parts = new Float64Array(family.length);
  if (length <= READ_AT_MOST) {
    scanTokens(text, 0, length, parts);
    return sizeOf(parts, family);
  }
  const blocks = READ_AT_MOST / BLOCK;
  const stride = (length - BLOCK) / (blocks - 1);
  for (let block = 0; block < blocks; block += 1) {
    const from = Math.floor(block * stride);
    scanTokens(text, from, from + BLOCK, parts);
  }
  return Math.ceil((sizeOf(parts, family) / READ_AT_MOST) * length);
}

function sizeOf(parts: Float64Array, family: Family): number {
  let tokens = 0;
  for (const [part, weight] of family.entries()) tokens += (parts[part] ?? 0) * weight;
  // At least one for any text.
  return Math.ceil(Math.max(tokens, (parts[PARTS.all] ?? 0) / 4));
}

/** Messages and tools that were counted, by family. */
const known = new Map<Family, WeakMap<Message | ToolSpec, number>>();

/** Counts once, whatever the family. */
function once(it: Message | ToolSpec, family: Family, count: () => number): number {
  const counted = known.get(family) ?? new WeakMap<Message | ToolSpec, number>();
  known.set(family, counted);
  const before = counted.get(it);
  if (before !== undefined) return before;
  const tokens = count();
  counted.set(it, tokens);
  return tokens;
}

/** How many tokens a text is. */
export type CountText = (text: string) => number;

/** How many tokens a message is, by a count of its texts. */
export function countMessage(message: Message, count: CountText): number {
  const sent = message.role === "user" ? message.sent : undefined;
  let tokens = PER_MESSAGE + (sent === undefined ? 0 : count(sent));
  for (const part of message.parts) {
    if (part.type === "image") tokens += PICTURE_TOKENS;
    else if (part.type === "tool-call") tokens += count(part.name) + count(part.input);
    else if (part.type !== "text" || sent === undefined) tokens += count(part.text);
  }
  return tokens;
}

/** How many tokens a tool is, by a count of texts. */
export const countTool = ({ name, description, parameters }: ToolSpec, count: CountText): number =>
  count(JSON.stringify({ name, description, parameters }));

/** About how many tokens a message is: counted once. */
export const messageTokens = (message: Message, family: Family = O200K): number =>
  once(message, family, () => countMessage(message, (text) => textTokens(text, family)));

/** About how many tokens the tools of a request are: each is counted once. */
export const toolTokens = (tools: readonly ToolSpec[], family: Family = O200K): number =>
  tools.reduce((sum, tool) => {
    return sum + once(tool, family, () => countTool(tool, (text) => textTokens(text, family)));
  }, 0);
