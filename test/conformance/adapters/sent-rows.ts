import { chatCompletions } from "../../../src/model/chat_completions/index.ts";
import { Conversation } from "../../../src/model/conversation.ts";
import { changeFor } from "../../../src/model/adjusted.ts";
import { legalHistory } from "../../../src/protocol/history.ts";
import type { UserMessage } from "../../../src/protocol/message.ts";
import { openAiBlocks } from "../../../src/protocol/openai.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf, textOrNone } from "../input.ts";
import { takeOver } from "./openai-rows.ts";
import { PLAIN_REQUEST } from "../../support/plain-request.ts";

/** What was recorded before is not cut again. */
const UNCUT = { maxReceiptChars: Infinity };

const rowsOf = (input: Json): readonly Json[] => listOf(objectOf(input, "input")["messages"], "messages");

/** `{messages}` as they leave for an OpenAI-compatible server, and whether the rows stayed as they were. */
export function roleAlternationCase(input: Json): unknown {
  const before = JSON.stringify(input);
  const isSystem = (row: Json): boolean => objectOf(row, "row")["role"] === "system";
  const system = rowsOf(input)
    .filter(isSystem)
    .map((row) => textOrNone(objectOf(row, "row")["content"]))
    .join("\n\n");
  const rows = rowsOf(input).filter((row) => !isSystem(row));
  const history = legalHistory(takeOver(rows, UNCUT).messages);
  const reader = { host: "h.test", provider: "custom", dialect: chatCompletions };
  const conversation = new Conversation({ system, tools: [], nonce: "0a1b2c" }, reader);
  const { body } = conversation.encode({
    provider: "custom",
    model: "m",
    history,
    ...PLAIN_REQUEST,
  });
  const { messages } = JSON.parse(body.toString()) as { readonly messages: unknown };
  return { messages, input_unchanged: JSON.stringify(input) === before };
}

/** `{messages}` as a model gets them that cannot see: every block stays a block. */
export function imageStripCase(input: Json): unknown {
  const unseen = changeFor({ adjusted: { pictures: false }, sees: undefined, smaller: new Map() });
  const told = rowsOf(input).map((row) => unseen?.(userMessage(objectOf(row, "row")), 0) ?? null);
  return { messages: told.map((message) => message && { role: message.role, content: openAiBlocks(message) }) };
}

/** A row of a person, with the pictures that are in it; our import keeps a mention of such a picture alone. */
function userMessage({ content }: JsonObject): UserMessage {
  const blocks = listOf(content, "content").map((block) => objectOf(block, "block"));
  const parts = blocks.map(({ text, image_url: image }) =>
    image === undefined
      ? { type: "text" as const, text: textOf(text, "text") }
      : { type: "image" as const, url: textOf(objectOf(image, "image_url")["url"], "url") },
  );
  return { role: "user", parts };
}
