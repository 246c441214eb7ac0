import {
  type AssistantMessage,
  callsOf,
  type Message,
  reasoningOf,
  type TextPart,
  type ToolCallPart,
} from "./message.ts";

/** Conversation messages in the shape of the OpenAI chat API: what users, other tools and recordings hand in (row C5). */
export type OpenAiContent = string | null | readonly OpenAiBlock[];

export interface OpenAiBlock {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly _meta?: { readonly path?: string };
}

export interface OpenAiMessage {
  readonly role: string;
  readonly content?: OpenAiContent;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type?: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface ImportLimits {
  /** Longest text of one receipt, in characters; what is longer is cut and says so (row G4). */
  readonly maxReceiptChars: number;
}

/** Row G4, nanobot.md §14. */
export const IMPORT_LIMITS: ImportLimits = { maxReceiptChars: 16_000 };

/**
 * Reads messages that were not recorded by us. Assistant messages with neither text nor calls, empty user messages,
 * system messages, and receipts whose call was never asked are dropped; long receipts are cut; images become a mention.
 */
export function fromOpenAi(messages: readonly OpenAiMessage[], limits: ImportLimits = IMPORT_LIMITS): Message[] {
  const awaited = new Set<string>();
  return messages.flatMap((message) => {
    const read = readMessage(message, awaited, limits);
    return read === undefined ? [] : [read];
  });
}

function readMessage(message: OpenAiMessage, awaited: Set<string>, limits: ImportLimits): Message | undefined {
  const parts = readContent(message.content);
  switch (message.role) {
    case "user":
      return parts.length === 0 ? undefined : { role: "user", parts };
    case "assistant":
      return readAssistant(message, parts, awaited);
    case "tool": {
      const callId = message.tool_call_id ?? "";
      if (!awaited.delete(callId)) return undefined;
      const cutParts = parts.map((part) => cut(part, limits.maxReceiptChars));
      return { role: "tool", callId, status: "ok", parts: cutParts.length === 0 ? [OMITTED] : cutParts };
    }
    default:
      return undefined;
  }
}

function readAssistant(
  message: OpenAiMessage,
  text: readonly TextPart[],
  awaited: Set<string>,
): AssistantMessage | undefined {
  const calls = (message.tool_calls ?? []).map((call): ToolCallPart => ({
    type: "tool-call",
    callId: call.id,
    name: call.function.name,
    input: call.function.arguments,
  }));
  if (text.length === 0 && calls.length === 0) return undefined;
  for (const call of calls) awaited.add(call.callId);
  const { reasoning_content: reasoning } = message;
  return {
    role: "assistant",
    parts: [...(reasoning ? [{ type: "reasoning" as const, text: reasoning }] : []), ...text, ...calls],
  };
}

/** Stands in a receipt of which nothing is left, so that its call stays answered. */
export const OMITTED_RESULT = "[The tool's output was omitted.]";
const OMITTED: TextPart = { type: "text", text: OMITTED_RESULT };

function readContent(content: OpenAiContent | undefined): TextPart[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): TextPart[] => {
    if (block.type === "image_url") return [{ type: "text", text: mention(block) }];
    return block.text ? [{ type: "text", text: block.text }] : [];
  });
}

/** Image data is not kept in text history; a web address is. */
function mention({ image_url: image, _meta: meta }: OpenAiBlock): string {
  if (meta?.path !== undefined) return `[image: ${meta.path}]`;
  const url = image?.url ?? "";
  return url === "" || url.startsWith("data:") ? "[image]" : `[image: ${url}]`;
}

const CUT = "\n… (cut)";

function cut(part: TextPart, maxChars: number): TextPart {
  if (part.text.length <= maxChars) return part;
  const splitsPair = /[\uD800-\uDBFF]$/.test(part.text.slice(0, maxChars));
  return { type: "text", text: part.text.slice(0, splitsPair ? maxChars - 1 : maxChars) + CUT };
}

/** The same history as OpenAI-shaped messages; text parts are joined, receipts carry the name of their tool. */
export function toOpenAi(messages: readonly Message[]): OpenAiMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const call of callsOf(message)) names.set(call.callId, call.name);
    return writeMessage(message, names);
  });
}

function writeMessage(message: Message, names: ReadonlyMap<string, string>): OpenAiMessage {
  const content = joined(message);
  switch (message.role) {
    case "user":
      return { role: "user", content };
    case "tool": {
      const name = names.get(message.callId);
      return { role: "tool", tool_call_id: message.callId, ...(name !== undefined && { name }), content };
    }
    case "assistant":
      return writeAssistant(message, content);
  }
}

const joined = (message: Message): string =>
  (message.parts as readonly { type: string; text?: string }[])
    .filter((part) => part.type === "text" || part.type === "steer")
    .map((part) => part.text ?? "")
    .join("");

function writeAssistant(message: AssistantMessage, content: string): OpenAiMessage {
  const calls = callsOf(message);
  const reasoning = reasoningOf(message);
  const base = { role: "assistant", content, ...(reasoning !== "" && { reasoning_content: reasoning }) };
  if (calls.length === 0) return base;
  return {
    ...base,
    tool_calls: calls.map((call) => ({
      id: call.callId,
      type: "function",
      function: { name: call.name, arguments: call.input },
    })),
  };
}
