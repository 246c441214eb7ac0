import type { Message } from "../../../src/protocol/message.ts";
import {
  fromOpenAi,
  type ImportLimits,
  openAiBlocks,
  type OpenAiMessage,
  toOpenAi,
} from "../../../src/protocol/openai.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";

export interface TakenOver {
  readonly messages: Message[];
  /** The row each message was read from. */
  readonly rows: ReadonlyMap<Message, JsonObject>;
}

/** Rows as the references store them, read by our import; those it drops are missing. */
export function takeOver(rows: readonly Json[], limits: ImportLimits): TakenOver {
  const read = (some: readonly Json[]): Message[] =>
    fromOpenAi(some.map((row) => (isObject(row) ? row : {})) as unknown as readonly OpenAiMessage[], limits);
  const messages = read(rows);
  const origins = new Map<Message, JsonObject>();
  rows.forEach((row, at) => {
    const place = read(rows.slice(0, at)).length;
    const message = messages[place];
    if (message !== undefined && isObject(row) && read(rows.slice(0, at + 1)).length > place) origins.set(message, row);
  });
  return { messages, rows: origins };
}

/** Our messages as rows again, in the form their row had: a list of blocks stays a list, null stays null. */
export function writeBack(messages: readonly Message[], rows: ReadonlyMap<Message, JsonObject>): unknown[] {
  const written = toOpenAi(messages);
  return messages.map((message, at) => {
    const content = rows.get(message)?.["content"];
    if (Array.isArray(content)) return { ...written[at], content: openAiBlocks(message) };
    return content === null && written[at]?.content === "" ? { ...written[at], content: null } : written[at];
  });
}
