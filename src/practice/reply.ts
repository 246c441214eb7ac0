import { isObject } from "../protocol/json.ts";
import { nonceIn, readSteers } from "../protocol/steer-marker.ts";
import { INTRODUCTION, SHORT_INTRODUCTION } from "./answers.ts";
import { MAX_QUESTION_CHARS, readIntents, type Intent } from "./intents.ts";
import { plan } from "./plan.ts";
import type { ChatCall, ChatMessage, ChatRequest } from "./request.ts";
import type { Known, Receipt } from "./look-up.ts";
import type { Reply } from "./completion.ts";

/** The reply to a request: a pure function of what is in it. */
export function reply(request: ChatRequest): Reply {
  const conversation = readConversation(request);
  let intents: readonly Intent[] = [];
  let cut = false;
  for (const question of conversation.earlier) intents = readIntents(question, intents);
  const asked: Intent[] = [];
  for (const question of conversation.questions) {
    asked.push(...readIntents(question, asked.length > 0 ? asked : intents));
    cut ||= question.length > MAX_QUESTION_CHARS;
  }
  const { receipts, introduced, subject, facts } = conversation;
  const known: Known = {
    receiptOf: (call, since) => receipts.get(keyOf(call.name, call.input))?.find(({ at }) => at >= since),
    since: 0,
    tools: request.tools,
    subject,
    facts,
  };
  const next = plan(asked.length > 0 ? asked : [{ type: "help" }], known, request.callsForbidden);
  const opening = OPENINGS[introduced];
  if (next.type === "calls") {
    const begins = introduced === "never" && next.text !== undefined;
    return begins ? { ...next, text: `${opening}${next.text}` } : next;
  }
  const blind = conversation.pictures ? "\n\n(I cannot see pictures: I read only the text of your message.)" : "";
  const bound = cut ? `\n\n(I read only the first ${MAX_QUESTION_CHARS} characters of your message.)` : "";
  return { type: "answer", text: `${opening}${next.text}${blind}${bound}` };
}

/** Every conversation, and the first answer of it, begin with what this is. */
const OPENINGS: Readonly<Record<Conversation["introduced"], string>> = {
  never: `${INTRODUCTION}\n\n`,
  "in this turn": `${SHORT_INTRODUCTION}\n\n`,
  before: "",
};

interface Conversation {
  /** What users said in exchanges that were answered, oldest first. */
  readonly earlier: readonly string[];
  /** What the user said since the last answer. */
  readonly questions: readonly string[];
  /** Some of that came with pictures. */
  readonly pictures: boolean;
  /** Since the last answer, by call, in the order they came. */
  readonly receipts: ReadonlyMap<string, readonly Receipt[]>;
  readonly introduced: "never" | "in this turn" | "before";
  /** What was to be remembered, in exchanges that were answered. */
  readonly facts: readonly string[];
  /** The first file that the last answer names. */
  readonly subject: string | undefined;
}

const REMEMBERED_QUESTIONS = 8;

function readConversation({ messages, callsForbidden }: ChatRequest): Conversation {
  const answers = messages.filter((message) => message.role === "assistant" && message.calls.length === 0);
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant" && message.calls.length === 0);
  const turn = messages.slice(lastAnswer + 1);
  const nonce = nonceIn(messages.find((message) => message.role === "system")?.text ?? "");
  const said = userTexts(messages.slice(0, lastAnswer + 1), nonce);
  return {
    earlier: said.slice(-REMEMBERED_QUESTIONS),
    facts: said.filter((text) => MAY_REMEMBER.test(text)).flatMap(factsIn),
    questions: userTexts(callsForbidden ? withoutNote(turn) : turn, nonce),
    pictures: turn.some((message) => message.role === "user" && message.pictures),
    receipts: receiptsOf(turn, nonce),
    introduced: answers.some(introduces) ? "before" : turn.some(introduces) ? "in this turn" : "never",
    subject: /`([^`\n]+)`/u.exec(answers.at(-1)?.text.replace(INTRODUCTION, "") ?? "")?.[1]?.replace(/:\d+$/u, ""),
  };
}

const introduces = ({ role, text }: ChatMessage): boolean =>
  role === "assistant" && (text.startsWith(INTRODUCTION) || text.startsWith(SHORT_INTRODUCTION));

const MAY_REMEMBER = /remember|in mind|forget|note|记住/iu;

const factsIn = (text: string): string[] =>
  readIntents(text).flatMap((intent) => (intent.type === "remember" ? [intent.fact] : []));

/** What users said, in messages of their own and behind the output of tools. */
const userTexts = (messages: readonly ChatMessage[], nonce: string | undefined): string[] =>
  messages.flatMap(({ role, text }) => {
    if (role === "tool") return readSteers(text, nonce).steers;
    return role === "user" ? [text] : [];
  });

/** When calls are forbidden, what stands behind the receipts is the runtime's note about that, not a question. */
function withoutNote(turn: readonly ChatMessage[]): readonly ChatMessage[] {
  const lastReceipt = turn.findLastIndex((message) => message.role === "tool");
  return lastReceipt < 0 ? turn : turn.slice(0, lastReceipt + 1);
}

function receiptsOf(turn: readonly ChatMessage[], nonce: string | undefined): Map<string, Receipt[]> {
  const calls = new Map<string, ChatCall>();
  const receipts = new Map<string, Receipt[]>();
  let at = 0;
  for (const message of turn) {
    for (const call of message.calls) calls.set(call.id, call);
    const call = calls.get(message.callId);
    if (message.role !== "tool" || call === undefined) continue;
    const key = keyOf(call.name, parsed(call.arguments));
    const receipt = { text: readSteers(message.text, nonce).output, at: at++ };
    receipts.set(key, [...(receipts.get(key) ?? []), receipt]);
  }
  return receipts;
}

/** Runtimes send arguments back in another order of keys. */
const keyOf = (name: string, input: unknown): string => JSON.stringify([name, sorted(input)]);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
