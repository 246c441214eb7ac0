import { cleanText } from "./clean-text.ts";
import {
  type AssistantMessage,
  callsOf,
  type ImagePart,
  imageMention,
  type Message,
  type ReasoningPart,
  reasoningOf,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type UserMessage,
} from "./message.ts";
import { isObject } from "./json.ts";
import { asTheModelReads } from "./nanobot-rows.ts";

/** Conversation messages in the shape of the OpenAI chat API: what users, other tools and recordings hand in (row C5). */
export type OpenAiContent = string | null | readonly OpenAiBlock[];

export interface OpenAiBlock {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly thinking?: string;
  readonly image_url?: { readonly url: string; readonly detail?: string };
  readonly _meta?: { readonly path?: string };
}

/** What providers add to an assistant message so that it can be given back to them. Nothing here reads it. */
const OPAQUE_FIELDS = ["reasoning", "reasoning_details", "thinking_blocks", "codex_reasoning_items"] as const;

export interface OpenAiMessage extends Partial<Readonly<Record<(typeof OPAQUE_FIELDS)[number], unknown>>> {
  readonly role: string;
  readonly content?: OpenAiContent;
  readonly reasoning_content?: string;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly {
    /** Some servers send none. */
    readonly id?: string | null;
    /** What the receipt answers, where that is not the id (hermes.md §5.6). */
    readonly call_id?: string;
    readonly type?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
    /** In the flat shape there is no `function`. */
    readonly name?: string;
    readonly arguments?: string;
    /** What a provider wants back with the call. Nothing here reads it. */
    readonly extra_content?: unknown;
  }[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface ImportLimits {
  /** Longest text of one receipt, in characters; what is longer is cut and says so (row G4). */
  readonly maxReceiptChars: number;
}

/** Row G4, nanobot.md §14. */
const IMPORT_LIMITS: ImportLimits = { maxReceiptChars: 16_000 };

/**
 * Reads messages that were not recorded by us. Assistant messages without text, calls and thoughts, empty user messages,
 * system messages, commands, calls of no tool, and receipts whose call was never asked are dropped; long receipts are cut; image data becomes a mention.
 * Text is made well-formed. Calls without an id get one that is the same each time, and receipts without an id answer them in order.
 * Fields that nothing here reads stay with their message or call, but for those inside blocks and functions.
 */
export function fromOpenAi(messages: readonly OpenAiMessage[], limits: ImportLimits = IMPORT_LIMITS): Message[] {
  const given = new Set(
    messages.flatMap((message) => (message.tool_calls ?? []).flatMap(({ id, call_id: callId }) => [id, callId])),
  );
  const awaited: Awaited = { given, open: new Set(), unnamed: [], madeUp: 0 };
  return messages.flatMap((message) => {
    const said = asTheModelReads(wellFormed(message));
    const read = said === undefined ? undefined : readMessage(said, awaited, limits);
    return read === undefined ? [] : [read];
  });
}

/** Keys and values alike (row A4). */
function wellFormed<T>(value: T): T;
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)]));
}

interface Awaited {
  /** The ids that stand in the messages. */
  readonly given: ReadonlySet<unknown>;
  /** Ids of calls that have no receipt yet. */
  readonly open: Set<string>;
  /** Those of the newest message's calls that came without one, in the order asked. */
  unnamed: string[];
  madeUp: number;
}

function readMessage(message: OpenAiMessage, awaited: Awaited, limits: ImportLimits): Message | undefined {
  const parts = readContent(message.content);
  switch (message.role) {
    case "user":
      return parts.length === 0 ? undefined : { role: "user", parts, ...extraOf(message, USER_FIELDS) };
    case "assistant":
      return readAssistant(message, parts, awaited);
    case "tool": {
      const callId = message.tool_call_id || awaited.unnamed.shift();
      if (callId === undefined || !awaited.open.delete(callId)) return undefined;
      const cutParts = parts.map((part) => (part.type === "text" ? cut(part, limits.maxReceiptChars) : part));
      const kept = cutParts.length === 0 ? [OMITTED] : cutParts;
      return { role: "tool", callId, status: "ok", parts: kept, ...extraOf(message, TOOL_FIELDS) };
    }
    default:
      return undefined;
  }
}

function readAssistant(
  message: OpenAiMessage,
  content: readonly ContentPart[],
  awaited: Awaited,
): AssistantMessage | undefined {
  awaited.unnamed = [];
  const calls = (message.tool_calls ?? []).filter(isOfSomeTool).map((call) => readToolCall(call, awaited));
  const { refusal } = message;
  const refused = typeof refusal === "string" && refusal !== "" ? [refusalPart(refusal)] : [];
  if (content.length + refused.length + calls.length === 0 && !thinks(message)) return undefined;
  for (const call of calls) awaited.open.add(call.callId);
  const text = content.map((part): TextPart =>
    part.type === "text" ? part : { type: "text", text: imageMention(part) },
  );
  const known = refused.length > 0 ? ["refusal", ...ASSISTANT_FIELDS] : ASSISTANT_FIELDS;
  const parts = [...readReasoning(message), ...text, ...refused, ...calls];
  return { role: "assistant", parts, ...extraOf(message, known) };
}

const refusalPart = (text: string): TextPart => ({ type: "text", text, refusal: true });

type OpenAiCall = NonNullable<OpenAiMessage["tool_calls"]>[number];

/** Nothing could have answered a call that names no tool (nanobot.md §8); one that says nothing of itself is let be. */
function isOfSomeTool(call: OpenAiCall): boolean {
  const said: unknown = call.function === undefined && !("name" in call) ? UNNAMED_TOOL : calledBy(call).name;
  return typeof said === "string" && said !== "";
}

const calledBy = (call: OpenAiCall): NonNullable<OpenAiCall["function"]> => call.function ?? call;

const readToolCall = (call: OpenAiCall, awaited: Awaited): ToolCallPart => ({
  type: "tool-call",
  callId: call.call_id || call.id || madeUpId(awaited),
  name: calledBy(call).name || UNNAMED_TOOL,
  input: calledBy(call).arguments ?? "{}",
  ...(isObject(call.extra_content) && { opaque: { extra_content: call.extra_content } }),
  ...extraOf(call, knownOfCall(call)),
});

/** Two ids are both kept: what comes out again is what came in. */
const knownOfCall = (call: OpenAiCall): readonly string[] => [
  ...(call.call_id ? [] : ["id"]),
  ...(call.function === undefined ? FLAT_CALL_FIELDS : CALL_FIELDS),
];

/** What the OpenAI shape itself says of a message, whatever its role. */
const STRUCTURE = ["role", "content", "tool_calls", "tool_call_id", "reasoning_content", ...OPAQUE_FIELDS];
const USER_FIELDS = [...STRUCTURE, "refusal"];
const TOOL_FIELDS = [...STRUCTURE, "refusal", "name"];
const ASSISTANT_FIELDS = STRUCTURE;
const CALL_FIELDS = ["type", "function", "extra_content"];
const FLAT_CALL_FIELDS = [...CALL_FIELDS, "name", "arguments"];

function extraOf(from: object, known: readonly string[]): { readonly extra?: Readonly<Record<string, unknown>> } {
  const extra = Object.entries(from).filter(([name, value]) => value !== undefined && !known.includes(name));
  return extra.length === 0 ? {} : { extra: Object.fromEntries(extra) };
}

function madeUpId(awaited: Awaited): string {
  let callId: string;
  do callId = `imported_${(awaited.madeUp += 1)}`;
  while (awaited.given.has(callId));
  awaited.unnamed.push(callId);
  return callId;
}

/** nanobot.md §13. */
const UNNAMED_TOOL = "tool";

function readReasoning(message: OpenAiMessage): ReasoningPart[] {
  const text = message.reasoning_content ?? thoughtsIn(message.content);
  const fields = OPAQUE_FIELDS.filter((field) => message[field] !== undefined && message[field] !== null);
  if (text === "" && fields.length === 0) return [];
  const opaque = Object.fromEntries(fields.map((field) => [field, message[field]]));
  return [{ type: "reasoning", text, ...(fields.length > 0 && { opaque }) }];
}

const thoughtsIn = (content: OpenAiContent | undefined): string =>
  Array.isArray(content) ? content.map(({ thinking = "" }: OpenAiBlock) => thinking).join("") : "";

/** hermes.md §5.7: something was thought, in the words or the opaque items of whatever server. */
function thinks(message: OpenAiMessage): boolean {
  const { reasoning_content: text, codex_reasoning_items: items, ...others } = message;
  const opaque = Array.isArray(items) && items.some((item) => isObject(item) && item["type"] === "reasoning");
  const said = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : (value ?? "") !== "");
  const blocks = thoughtsIn(message.content);
  return opaque || said(text) || said(blocks) || said(others.reasoning) || said(others.reasoning_details);
}

type ContentPart = TextPart | ImagePart;

/** Blocks of content that are none: what the model thought. */
const THOUGHTS = new Set(["thinking", "redacted_thinking"]);

/** Stands in a receipt of which nothing is left, so that its call stays answered. */
export const OMITTED_RESULT = "[The tool's output was omitted.]";
const OMITTED: TextPart = { type: "text", text: OMITTED_RESULT };

function readContent(content: OpenAiContent | undefined): ContentPart[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): ContentPart[] => {
    if (THOUGHTS.has(block.type)) return [];
    if (block.type === "image_url") return [readImage(block)];
    if (block.text) return [{ type: "text", text: block.text }];
    if (block.type === "refusal" && block.refusal) return [refusalPart(block.refusal)];
    // What we cannot carry is named, so that nobody wonders what a question was about.
    return block.type === "text" ? [] : [{ type: "text", text: `[${block.type}]` }];
  });
}

/** A picture on the web stays one; the data of any other is not kept in the history, only where it came from. */
function readImage({ image_url: image, _meta: meta }: OpenAiBlock): ContentPart {
  const url = image?.url ?? "";
  const detail = image?.detail;
  if (/^https?:\/\//i.test(url)) return { type: "image", url, ...(detail !== undefined && { detail }) };
  const place = meta?.path ?? (url.startsWith("data:") ? "" : url);
  return { type: "text", text: place === "" ? "[image]" : `[image: ${place}]` };
}

const CUT = "\n… (cut)";

function cut(part: TextPart, maxChars: number): TextPart {
  if (part.text.length <= maxChars) return part;
  const splitsPair = /[\uD800-\uDBFF]$/.test(part.text.slice(0, maxChars));
  return { type: "text", text: part.text.slice(0, splitsPair ? maxChars - 1 : maxChars) + CUT };
}

/**
 * The same history as OpenAI-shaped messages. Content is a text, or a list of blocks where it was more than one text;
 * receipts carry the name of their tool.
 */
export function toOpenAi(messages: readonly Message[]): OpenAiMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const call of callsOf(message)) names.set(call.callId, call.name);
    return writeMessage(message, names);
  });
}

function writeMessage(message: Message, names: ReadonlyMap<string, string>): OpenAiMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: writeContent(message), ...message.extra };
    case "tool": {
      const name = names.get(message.callId);
      const content = writeContent(message);
      return {
        role: "tool",
        tool_call_id: message.callId,
        ...(name !== undefined && { name }),
        content,
        ...message.extra,
      };
    }
    case "assistant":
      return writeAssistant(message);
  }
}

function writeContent(message: UserMessage | ToolMessage): OpenAiContent {
  const content = message.parts.filter((part) => part.type !== "steer" && part.type !== "context");
  const isText = content.length <= 1 && content.every((part) => part.type === "text");
  return isText ? joined(message) : openAiBlocks(message);
}

const joined = (message: Message): string =>
  openAiBlocks(message)
    .map((block) => block.text ?? "")
    .join("");

/** The content of a message as a list of blocks; what the user steered stands behind the output of the tool. */
export const openAiBlocks = (message: Message): OpenAiBlock[] =>
  message.parts.flatMap((part): OpenAiBlock[] => {
    switch (part.type) {
      case "text":
      case "steer":
        return [{ type: "text", text: part.text }];
      case "image": {
        const { url, detail } = part;
        return [{ type: "image_url", image_url: { url, ...(detail !== undefined && { detail }) } }];
      }
      case "context":
      case "reasoning":
      case "tool-call":
        return [];
    }
  });

function writeAssistant(message: AssistantMessage): OpenAiMessage {
  const calls = callsOf(message);
  const reasoning = reasoningOf(message);
  const opaque = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.opaque ?? {}] : []));
  const refusal = message.parts.flatMap((part) => (part.type === "text" && part.refusal ? [part.text] : [])).join("");
  const parts = message.parts.filter((part) => part.type !== "text" || part.refusal !== true);
  return {
    role: "assistant",
    content: joined({ ...message, parts }),
    ...(refusal !== "" && { refusal }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(Object.assign({}, ...opaque) as ReasoningPart["opaque"]),
    ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
    ...message.extra,
  };
}

const writeCall = (call: ToolCallPart): NonNullable<OpenAiMessage["tool_calls"]>[number] => ({
  id: call.callId,
  type: "function",
  function: { name: call.name, arguments: call.input },
  ...call.opaque,
  ...call.extra,
});
