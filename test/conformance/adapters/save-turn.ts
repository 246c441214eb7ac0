import type { Json } from "../case-file.ts";
import { listOf, numberOf, objectOf } from "../input.ts";
import { takeOver, writeBack } from "./openai-rows.ts";

/** `{history, messages, skip, max_tool_result_chars}`: what is appended to a session when messages are taken over. */
export function saveTurnCase(input: Json): unknown {
  const { history, messages, skip, max_tool_result_chars: maxReceiptChars } = objectOf(input, "input");
  const limits = { maxReceiptChars: numberOf(maxReceiptChars, "max_tool_result_chars") };
  const known = listOf(history, "history");
  const added = listOf(messages, "messages").slice(numberOf(skip ?? 0, "skip"));
  const taken = takeOver([...known, ...added], limits);
  return { appended: writeBack(taken.messages, taken.rows).slice(takeOver(known, limits).messages.length) };
}
