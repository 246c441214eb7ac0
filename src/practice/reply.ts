import { nonceIn, readSteers } from "../protocol/steer-marker.ts";
import { INTRODUCTION } from "./answers.ts";
import { MAX_QUESTION_CHARS, readIntents, type Intent } from "./intents.ts";
import { plan } from "./plan.ts";
import type { ChatCall, ChatMessage, ChatRequest } from "./request.ts";
import type { Reply, WantedCall } from "./completion.ts";

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
  const { receipts, introduced, subject } = conversation;
  const known = {
    receiptOf: (call: WantedCall) => receipts.get(keyOf(call.name, call.input)),
    tools: request.tools,
    subject,
  };
  const next = plan(asked.length > 0 ? asked : [{ type: "help" }], known, request.callsForbidden);
  if (next.type === "calls") return next;
  const blind = conversation.pictures ? "\n\n(I cannot see pictures: I read only the text of your message.)" : "";
  const bound = cut ? `\n\n(I read only the first ${MAX_QUESTION_CHARS} characters of your message.)` : "";
  return { type: "answer", text: `${introduced ? "" : `${INTRODUCTION}\n\n`}${next.text}${blind}${bound}` };
}

interface Conversation {
  /** What users said in exchanges that were answered, oldest first. */
  readonly earlier: readonly string[];
  /** What the user said since the last answer. */
  readonly questions: readonly string[];
  /** Some of that came with pictures. */
  readonly pictures: boolean;
  /** Since the last answer, by call. */
  readonly receipts: ReadonlyMap<string, string>;
  readonly introduced: boolean;
  /** The first file that the last answer names. */
  readonly subject: string | undefined;
}

const REMEMBERED_QUESTIONS = 8;

function readConversation({ messages, callsForbidden }: ChatRequest): Conversation {
  const answers = messages.filter((message) => message.role === "assistant" && message.calls.length === 0);
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant" && message.calls.length === 0);
  const turn = messages.slice(lastAnswer + 1);
  const nonce = nonceIn(messages.find((message) => message.role === "system")?.text ?? "");
  return {
    earlier: userTexts(messages.slice(0, lastAnswer + 1), nonce).slice(-REMEMBERED_QUESTIONS),
    questions: userTexts(callsForbidden ? withoutNote(turn) : turn, nonce),
    pictures: turn.some((message) => message.role === "user" && message.pictures),
    receipts: receiptsOf(turn, nonce),
    introduced: answers.some((message) => message.text.startsWith(INTRODUCTION)),
    subject: /`([^`\n]+)`/u.exec(answers.at(-1)?.text.replace(INTRODUCTION, "") ?? "")?.[1]?.replace(/:\d+$/u, ""),
  };
}

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

function receiptsOf(turn: readonly ChatMessage[], nonce: string | undefined): Map<string, string> {
  const calls = new Map<string, ChatCall>();
  const receipts = new Map<string, string>();
  for (const message of turn) {
    for (const call of message.calls) calls.set(call.id, call);
    const call = calls.get(message.callId);
    if (message.role === "tool" && call !== undefined)
      receipts.set(keyOf(call.name, parsed(call.arguments)), readSteers(message.text, nonce).output);
  }
  return receipts;
}

/** Runtimes send arguments back in another order of keys. */
function keyOf(name: string, input: unknown): string {
  const entries = typeof input === "object" && input !== null ? Object.entries(input) : [];
  return JSON.stringify([name, entries.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
