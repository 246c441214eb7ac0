import type { Message, TextPart, UserMessage } from "./message.ts";
import { cutReceipt } from "./receipts.ts";

/**
 * Which part of the archive is sent. It only points: the archive is never touched (row F1), and the same numbers give the
 * same bytes after every restart.
 */
export interface Compaction {
  /** It speaks of the messages below this place; what comes later is sent as it is. */
  readonly through: number;
  /** Messages below this place are left out, but for what the user has said from `instruction` on. */
  readonly from: number;
  /** The place of the newest message that began a turn. */
  readonly instruction: number;
  /** Long receipts below this place are sent as one line. */
  readonly cutBefore: number;
  /** So many messages from the beginning on stay, whole exchanges (row F3); absent: none. */
  readonly head?: number;
  /** What was said in the messages that are left out, in the words of a model; absent: only how many there were. */
  readonly summary?: string;
  /** The summary tells of the messages below this place, but for the head; absent: of all below `from`. */
  readonly summaryTo?: number;
  /** What of the todo list was open when they were left out, a line each. */
  readonly todos?: string;
}

/** Why less of the history is sent: `pressure`: the window would be too full (row A10). */
export type CompactionCause = "too-large" | "pressure" | "asked" | "background";

type History = readonly (Message | undefined)[];

/** What is sent of the messages below `through`. The first of them is a user message where anything is left out. */
export function compacted(history: History, compaction: Compaction): Message[] {
  const { through, from, instruction } = compaction;
  const sent: Message[] = [];
  for (let at = from; at < through; at++) {
    const message = history[at];
    if (message !== undefined) sent.push(shortened(message, at, compaction));
  }
  if (from === 0) return sent;
  const asked = from > instruction ? history.slice(instruction, from) : [sent.shift()];
  const left = from > instruction ? from - asked.filter((message) => message?.role === "user").length : from;
  return [{ role: "user", parts: [note(left), ...saidIn(asked)] }, ...sent];
}

/** What others added to the questions of old turns goes first; then long receipts. */
function shortened(message: Message, at: number, { instruction, cutBefore }: Compaction): Message {
  if (message.role === "tool") return at < cutBefore ? cutReceipt(message) : message;
  if (message.role === "assistant" || at >= instruction) return message;
  return { ...message, parts: message.parts.filter((part) => part.type !== "context") };
}

const note = (left: number): TextPart => ({
  type: "text",
  text: `[${left} earlier messages of this conversation were left out to save room.]\n\n`,
});

/** The instruction, and what the user has added to it while the turn was running. */
function saidIn(messages: History): UserMessage["parts"] {
  return messages.flatMap((message, index) => {
    const said = message === undefined ? [] : partsOfUser(message);
    const gap: TextPart = { type: "text", text: "\n\n" };
    return index > 0 && said.length > 0 ? [gap, ...said] : said;
  });
}

function partsOfUser(message: Message): UserMessage["parts"] {
  if (message.role === "assistant") return [];
  if (message.role === "user") return message.sent === undefined ? message.parts : sentInstead(message.sent, message);
  const steers = message.parts.filter((part) => part.type === "steer");
  return steers.length === 0 ? [] : [{ type: "text", text: steers.map((steer) => steer.text).join("\n\n") }];
}

const sentInstead = (text: string, { parts }: UserMessage): UserMessage["parts"] => [
  { type: "text", text },
  ...parts.filter((part) => part.type === "context"),
];
