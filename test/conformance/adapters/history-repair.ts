import { legalHistory } from "../../../src/protocol/history.ts";
import { type Message, textOf } from "../../../src/protocol/message.ts";
import { openAiBlocks } from "../../../src/protocol/openai.ts";
import { project } from "../../../src/protocol/projection/project.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf } from "../input.ts";
import { takeOver, writeBack } from "./openai-rows.ts";

/** What was recorded before is not cut again. */
const UNCUT = { maxReceiptChars: Infinity };

const rowsOf = (input: Json): readonly Json[] => listOf(objectOf(input, "input")["messages"], "messages");

/** `{messages}`: the history as it is kept. Our system prompt stands apart from it, before everything. */
export function legalHistoryCase(input: Json): unknown {
  const { system, rows } = apart(rowsOf(input));
  const taken = takeOver(rows, UNCUT);
  return { messages: [...system, ...writeBack(legalHistory(taken.messages), taken.rows)] };
}

/** The same, without what it fills in: that is another area. */
export function withoutOrphansCase(input: Json): unknown {
  const { system, rows } = apart(rowsOf(input));
  const taken = takeOver(rows, UNCUT);
  const legal = legalHistory(taken.messages).filter((message) => message.role !== "tool" || taken.rows.has(message));
  return { messages: [...system, ...writeBack(legal, taken.rows)] };
}

/** `{messages}`: the history as it is sent; each repair takes one row away. */
export function alternationCase(input: Json): unknown {
  const { messages } = sent(rowsOf(input));
  return { repairs: rowsOf(input).length - messages.length, messages };
}

/** `{messages}` as they are sent, or of one `{message}` whether it is left out because it only thinks. */
export function thinkingOnlyCase(input: Json): unknown {
  const { message } = objectOf(input, "input");
  if (message === undefined) return { messages: sent(rowsOf(input)).messages };
  const [read] = takeOver([message], UNCUT).messages;
  return { thinking_only: read?.role === "assistant" && thinks(read) && project([read]).length === 0 };
}

const thinks = (message: Message): boolean => message.parts.some((part) => part.type === "reasoning");

/** `{messages}`: the rows as they are kept, and whether any text in them is another one now. */
export function surrogateCase(input: Json): unknown {
  const rows = rowsOf(input);
  const taken = takeOver(rows, UNCUT);
  const messages = writeBack(taken.messages, taken.rows);
  const kept = messages.map((message, at) => only(message, rows[at]));
  return { changed: JSON.stringify(kept) !== JSON.stringify(rows), messages };
}

const only = (message: unknown, row: Json | undefined): unknown =>
  isObject(row) && isObject(message) ? Object.fromEntries(Object.keys(row).map((key) => [key, message[key]])) : message;

function apart(rows: readonly Json[]): { readonly system: readonly Json[]; readonly rows: readonly Json[] } {
  const isSystem = (row: Json): boolean => isObject(row) && row["role"] === "system";
  return { system: rows.filter(isSystem), rows: rows.filter((row) => !isSystem(row)) };
}

function sent(all: readonly Json[]): { readonly messages: readonly unknown[] } {
  const { system, rows } = apart(all);
  const taken = takeOver(rows, UNCUT);
  const projected = project(legalHistory(taken.messages));
  const written = writeBack(projected, taken.rows);
  return { messages: [...system, ...projected.map((message, at) => asWritten(message, written[at], taken.rows))] };
}

/** A message that was made of several has the form their rows had: one text, or the list of all their blocks. */
function asWritten(message: Message, written: unknown, rows: ReadonlyMap<Message, JsonObject>): unknown {
  if (rows.has(message) || message.role !== "user") return written;
  const origins = [...rows].filter(([origin]) =>
    origin.parts.some((part) => message.parts.some((own) => own === part)),
  );
  if (!origins.some(([, row]) => Array.isArray(row["content"]))) return { role: "user", content: textOf(message) };
  return { role: "user", content: openAiBlocks(message).filter((block) => block.text?.trim() !== "") };
}
