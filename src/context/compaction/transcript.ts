import {
  imageMention,
  type Message,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from "../../protocol/message.ts";
import { shortArguments } from "./prune.ts";

/** How much of each message is told, characters (hermes.md §13.4). */
const FULL: Lengths = { text: 6_000, head: 4_000, tail: 1_500, input: 1_500, inputHead: 1_200 };

interface Lengths {
  /** A text up to this long is told whole. */
  readonly text: number;
  /** Of a longer one, its beginning and its end. */
  readonly head: number;
  readonly tail: number;
  /** The same of arguments, which lose their end. */
  readonly input: number;
  readonly inputHead: number;
}

/** Each step down tells less of long messages, so that more of them are told. */
const STEPS: readonly number[] = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16];

const scaled = (by: number): Lengths => ({
  text: FULL.text * by,
  head: FULL.head * by,
  tail: FULL.tail * by,
  input: FULL.input * by,
  inputHead: FULL.inputHead * by,
});

/** What is said of a conversation to whoever sums it up, and how many of its oldest messages had no room. */
export interface Transcript {
  readonly text: string;
  readonly dropped: number;
}

/**
 * The messages as labelled text, within so many tokens: where they are more, less of each long one is told, and then the
 * oldest are left out. What plug-ins and the runtime have added to a message is not told, nor is what the model thought.
 */
export function transcriptOf(
  messages: readonly Message[],
  room: number,
  tokensOf: (text: string) => number,
): Transcript | undefined {
  for (const step of STEPS) {
    const lines = linesOf(messages, scaled(step));
    if (tokensOf(lines.join("\n\n")) <= room) return { text: lines.join("\n\n"), dropped: 0 };
  }
  return newestOf(linesOf(messages, scaled(STEPS.at(-1) ?? 1)), room, tokensOf);
}

function newestOf(lines: readonly string[], room: number, tokensOf: (text: string) => number): Transcript | undefined {
  let [first, left] = [lines.length, room];
  while (first > 0) {
    left -= tokensOf(lines[first - 1] ?? "") + 1;
    if (left < 0) break;
    first--;
  }
  if (first === lines.length) return undefined;
  return { text: lines.slice(first).join("\n\n"), dropped: first };
}

function linesOf(messages: readonly Message[], lengths: Lengths): string[] {
  const names = new Map<string, string>();
  return messages.flatMap((message) => {
    if (message.role === "user") return labelled("USER", shortText(wordsOfUser(message), lengths));
    if (message.role === "tool") return receiptLines(message, names.get(message.callId) ?? "a tool", lengths);
    const said = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    const calls = message.parts.filter((part) => part.type === "tool-call");
    for (const { callId, name } of calls) names.set(callId, name);
    const cut = message.interrupted === true ? " (cut off before its end)" : "";
    return [
      ...labelled(`AGENT${cut}`, shortText(said, lengths)),
      ...calls.flatMap((call) => labelled(`AGENT calls ${call.name}`, shortInput(call, lengths))),
    ];
  });
}

const labelled = (who: string, text: string): string[] =>
  text.trim() === "" ? [] : [`[${who.replaceAll(/[[\]\n\r]/gu, " ")}]\n${tame(text.trim())}`];

const LIKE_LABEL = /\[(?=\W*(?:USER|AGENT|RESULT)\b)/gu;
const LIKE_TAG = /<(?=\W*(?:messages|old_summary)\b)/giu;

/** What a tool has read may look as if somebody else had said it, or as if the material ended there: its bracket goes. */
export const tame = (text: string): string => text.replaceAll(LIKE_LABEL, "(").replaceAll(LIKE_TAG, "‹");

/** The user's own words, and that there were pictures. */
const wordsOfUser = ({ parts }: UserMessage): string =>
  parts
    .map((part) => {
      if (part.type === "context") return "";
      return part.type === "text" ? part.text : imageMention(part);
    })
    .join(" ");

function receiptLines({ parts, status }: ToolMessage, name: string, lengths: Lengths): string[] {
  const output = parts
    .map((part) => {
      if (part.type === "steer") return "";
      return part.type === "text" ? part.text : imageMention(part);
    })
    .join(" ");
  const said = parts.flatMap((part) => (part.type === "steer" ? [part.text] : []));
  return [
    ...labelled(`RESULT of ${name}${status === "ok" ? "" : `, ${status}`}`, shortText(output, lengths)),
    ...said.flatMap((text) => labelled("USER, while tools ran", shortText(text, lengths))),
  ];
}

function shortText(text: string, { text: most, head, tail }: Lengths): string {
  if (text.length <= most) return text;
  const left = text.length - head - tail;
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters …]\n${text.slice(-tail).toWellFormed()}`;
}

function shortInput({ input }: ToolCallPart, { input: most, inputHead }: Lengths): string {
  if (input.length <= most) return input;
  const short = shortArguments(input);
  return short.length <= most ? short : `${input.slice(0, inputHead).toWellFormed()}…`;
}
