import { isObject, type Json, objectsOf } from "./shape.ts";
import type { Mode } from "./script.ts";

/** What a body says was said, in no dialect's words and in its order. */
export type Said =
  | { readonly by: "user" | "model"; readonly text: string }
  | { readonly call: number; readonly name: string; readonly input: unknown }
  /** Of the call with this number. */
  | { readonly resultOf: number; readonly text: string };

/** What a wire tells one after the other; without an id, a result is of the first call that has none yet. */
type Told =
  | { readonly by: "user" | "model"; readonly text: string }
  | { readonly callId: string | undefined; readonly name: string; readonly input: unknown }
  | { readonly answers: string | undefined; readonly text: string };

/** Reads the history out of the body of a request. */
export function readBack(mode: Mode, body: Json): readonly Said[] {
  const ids: (string | undefined)[] = [];
  let answered = 0;
  return READERS[mode](body).map((told): Said => {
    if ("by" in told) return told;
    if ("name" in told) return { call: ids.push(told.callId) - 1, name: told.name, input: told.input };
    const next = answered++;
    return { resultOf: told.answers === undefined ? next : ids.lastIndexOf(told.answers), text: told.text };
  });
}

const READERS: Readonly<Record<Mode, (body: Json) => readonly Told[]>> = {
  chat_completions: ({ messages }) => objectsOf(messages).flatMap(chatMessage),
  anthropic_messages: ({ messages }) =>
    objectsOf(messages).flatMap(({ role, content }) => blocks(content).map((block) => anthropicBlock(role, block))),
  bedrock_converse: ({ messages }) =>
    objectsOf(messages).flatMap(({ role, content }) => objectsOf(content).map((block) => bedrockBlock(role, block))),
  codex_responses: ({ input }) => objectsOf(input).flatMap(responseItem),
  gemini: ({ contents }) =>
    objectsOf(contents).flatMap(({ role, parts }) => objectsOf(parts).map((part) => geminiPart(role, part))),
};

const field = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
const text = (value: unknown): string => {
  if (typeof value !== "string") throw new Error(`This is no text: ${JSON.stringify(value)}`);
  return value;
};
const blocks = (content: unknown): readonly Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
const joined = (content: unknown): string =>
  blocks(content)
    .map((block) => text(block["text"]))
    .join("");
const parsed = (input: unknown): unknown => JSON.parse(text(input));
const spoken = (role: unknown, words: unknown): Told => ({ by: role === "user" ? "user" : "model", text: text(words) });

function chatMessage({ role, content, tool_calls: calls, tool_call_id: id }: Json): readonly Told[] {
  if (role === "system") return [];
  if (role === "tool") return [{ answers: text(id), text: joined(content) }];
  const words = content === null || content === undefined || content === "" ? [] : [spoken(role, joined(content))];
  const made = objectsOf(calls ?? []).map((call): Told => ({
    callId: text(call["id"]),
    name: text(field(call["function"], "name")),
    input: parsed(field(call["function"], "arguments")),
  }));
  return [...words, ...made];
}

function anthropicBlock(role: unknown, block: Json): Told {
  if (block["type"] === "tool_use")
    return { callId: text(block["id"]), name: text(block["name"]), input: block["input"] };
  if (block["type"] === "tool_result") return { answers: text(block["tool_use_id"]), text: joined(block["content"]) };
  return spoken(role, block["text"]);
}

function bedrockBlock(role: unknown, { toolUse, toolResult, text: words }: Json): Told {
  if (isObject(toolUse))
    return { callId: text(toolUse["toolUseId"]), name: text(toolUse["name"]), input: toolUse["input"] };
  if (isObject(toolResult)) return { answers: text(toolResult["toolUseId"]), text: joined(toolResult["content"]) };
  return spoken(role, words);
}

function responseItem(item: Json): readonly Told[] {
  switch (item["type"]) {
    case "function_call":
      return [{ callId: text(item["call_id"]), name: text(item["name"]), input: parsed(item["arguments"]) }];
    case "function_call_output":
      return [{ answers: text(item["call_id"]), text: joined(item["output"]) }];
    default:
      return [spoken(item["role"], joined(item["content"]))];
  }
}

function geminiPart(role: unknown, { functionCall, functionResponse, text: words }: Json): Told {
  if (isObject(functionCall))
    return { callId: undefined, name: text(functionCall["name"]), input: functionCall["args"] };
  if (isObject(functionResponse))
    return { answers: undefined, text: text(field(functionResponse["response"], "output")) };
  return spoken(role, words);
}
