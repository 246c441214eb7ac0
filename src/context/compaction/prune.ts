import { isObject } from "../../protocol/json.ts";
import { type Message, textOf, type ToolMessage } from "../../protocol/message.ts";
import { withLine } from "../../protocol/projection/receipts.ts";
import { receiptLine } from "./receipt-line.ts";

/** Shorter outputs stay, characters (hermes.md §13.2, step 2). */
const WORTH_PRUNING = 200;
/** Shorter arguments stay; of longer ones each text is cut to the length below, characters (the same step). */
const LONG_ARGUMENTS = 500;
const LEAF = 200;
const CUT = "...[truncated]";

const SEEN_AGAIN = "[A later call gave the same output.]";

/**
 * What a summary is made from: of equal outputs the newest; below `oldBefore` long outputs as one line, and long arguments
 * shortened. Works on a copy.
 */
export function prune(messages: readonly Message[], oldBefore: number): Message[] {
  const seen = new Set<string>();
  const pruned: Message[] = [];
  for (const [at, message] of [...messages.entries()].toReversed()) {
    const isOld = at < oldBefore;
    if (message.role === "tool") pruned.push(prunedReceipt(message, isOld, seen));
    else pruned.push(message.role === "assistant" && isOld ? withShortArguments(message) : message);
  }
  return pruned.toReversed();
}

function prunedReceipt(message: ToolMessage, isOld: boolean, seen: Set<string>): ToolMessage {
  const text = textOf(message);
  if (text.length < WORTH_PRUNING) return message;
  if (seen.has(text)) return withLine(message, SEEN_AGAIN);
  seen.add(text);
  return isOld && text.length > WORTH_PRUNING ? withLine(message, receiptLine(text)) : message;
}

const withShortArguments = (message: Extract<Message, { role: "assistant" }>): Message => ({
  ...message,
  parts: message.parts.map((part) =>
    part.type === "tool-call" && part.input.length > LONG_ARGUMENTS
      ? { ...part, input: shortArguments(part.input) }
      : part,
  ),
});

/** JSON stays JSON: only the texts in it are cut. What is no JSON is left as it is (hermes.md §26.14). */
export function shortArguments(input: string, most: number = LEAF): string {
  try {
    return JSON.stringify(cutLeaves(JSON.parse(input), most));
  } catch {
    return input;
  }
}

function cutLeaves(value: unknown, most: number): unknown {
  if (typeof value === "string") return value.length > most ? `${value.slice(0, most).toWellFormed()}${CUT}` : value;
  if (Array.isArray(value)) return value.map((item) => cutLeaves(item, most));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutLeaves(item, most)]));
}
