import { isWhole, legalHistory } from "../history.ts";
import { type Message, type TextPart, type UserMessage } from "../message.ts";
import { partsOfUser } from "./project.ts";
import { cutReceipt } from "./receipts.ts";
import { leftOutText } from "./summary-marker.ts";
import { lookUpsIn } from "./look-ups.ts";

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
  /** Only what a look-up found, which can be had again; absent: whatever the tool. */
  readonly cut?: "look-ups";
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

/**
 * What there is to send of a history: all of it, or what a compaction leaves and what came later. Calls and their
 * receipts stay together, wherever the numbers cut.
 */
export function shownHistory(history: History, compaction: Compaction | undefined): Message[] {
  const later = history.slice(compaction?.through ?? 0).filter((message) => message !== undefined);
  if (compaction === undefined) return later;
  const shown = [...compacted(history, compaction), ...later];
  return isWhole(shown) ? shown : legalHistory(shown);
}

/**
 * What is sent of the messages below `through`: the head as it was; one user message, which says what is left out and
 * holds the instruction word for word; then what is kept.
 */
export function compacted(history: History, compaction: Compaction): Message[] {
  const { from, instruction } = compaction;
  const head = headOf(history, compaction);
  const kept = keptOf(history, compaction);
  if (from <= head.length) return [...head, ...kept];
  const asked = from > instruction ? history.slice(Math.max(instruction, head.length), from) : firstUser(kept);
  const repeated = from > instruction ? asked.filter((message) => message?.role === "user").length : 0;
  const parts = [aboutLeftOut(from - head.length - repeated, compaction), ...saidIn(asked)];
  return [...head, { role: "user", parts }, ...(from > instruction ? kept : kept.slice(asked.length))];
}

const headOf = (history: History, { head = 0, through }: Compaction): Message[] =>
  history.slice(0, Math.min(head, through)).filter((message) => message !== undefined);

function keptOf(history: History, compaction: Compaction): Message[] {
  const { head = 0, from, through, cutBefore, cut } = compaction;
  const start = Math.max(from, head);
  const lookUps = cut === undefined ? undefined : new Set(lookUpsIn(history, start));
  const kept: Message[] = [];
  for (let at = start; at < through; at++) {
    const message = history[at];
    if (message?.role === "tool")
      kept.push(at < cutBefore && lookUps?.has(at) !== false ? cutReceipt(message) : message);
    else if (message !== undefined) kept.push(at < compaction.instruction ? withoutAdded(message) : message);
  }
  return kept;
}

const firstUser = ([first]: readonly Message[]): readonly Message[] => (first?.role === "user" ? [first] : []);

/** What others added to the questions of old turns goes first. */
function withoutAdded(message: Message): Message {
  if (message.role !== "user" || message.parts.every((part) => part.type !== "context")) return message;
  return { ...message, parts: message.parts.filter((part) => part.type !== "context") };
}

const aboutLeftOut = (left: number, told: Compaction): TextPart => ({
  type: "text",
  text: `${leftOutText({ ...told, left })}\n\n`,
});

/** The instruction, and what the user has added to it while the turn was running. */
function saidIn(messages: History): UserMessage["parts"] {
  return messages.flatMap((message, index) => {
    const said = message === undefined ? [] : saidBy(message);
    const gap: TextPart = { type: "text", text: "\n\n" };
    return index > 0 && said.length > 0 ? [gap, ...said] : said;
  });
}

function saidBy(message: Message): UserMessage["parts"] {
  if (message.role !== "tool") return partsOfUser(message);
  const steers = message.parts.filter((part) => part.type === "steer");
  return steers.length === 0 ? [] : [{ type: "text", text: steers.map((steer) => steer.text).join("\n\n") }];
}
