import { isObject as isRecord } from "../../../src/protocol/json.ts";
import { callsOf, type ToolCallPart } from "../../../src/protocol/message.ts";
import type { Tool, ToolContext } from "../../../src/protocol/tool.ts";
import { chatCompletions } from "../../../src/model/chat_completions/index.ts";
import { canonicalArguments } from "../../../src/model/wire-text.ts";
import { ReplyDecoder } from "../../../src/model/reply-decoder.ts";
import { readArguments } from "../../../src/tools/arguments.ts";
import { repairJson } from "../../../src/tools/repair-arguments.ts";
import { resultText } from "../../../src/tools/result-text.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";

/** A tool that only looks, by its name. */
export const lookUp = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: { type: "object" },
  effect: "pure",
  concurrency: "shared",
  run: () => "done",
  ...more,
});

export const callOf = (name: string, input: string, callId = "c"): ToolCallPart => ({
  type: "tool-call",
  callId,
  name,
  input,
});

export const NOWHERE: ToolContext = {
  callId: "c",
  sessionId: "s",
  history: [],
  signal: new AbortController().signal,
  output: () => {},
};

/** Arguments as a model writes them: text as it is, an object as its JSON. */
const written = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** `{name, valid}`: the tool that runs, or null. */
export function toolNameRepairCase(input: Json): unknown {
  const { name, valid } = objectOf(input, "input");
  const tools = listOf(valid, "valid").map((each) => lookUp(textOf(each, "name")));
  const asked = written(name);
  const inspection = createToolbox(tools).port.inspect(callOf(asked, "{}"));
  return { repaired: inspection.refuse === undefined ? (inspection.name ?? asked) : null };
}

/** `{raw}`: the JSON text that is read, or null. */
export const toolArgsRepairCase = (input: Json): unknown => ({
  repaired: repairJson(written(objectOf(input, "input")["raw"]))?.text ?? null,
});

/** `{arguments}`: what a tool gets, or the text nobody could read; and what a server is sent later. */
export function toolArgsParseCase(input: Json): unknown {
  const raw = written(objectOf(input, "input")["arguments"]);
  const result = readArguments(raw, {});
  return { parsed: result.type === "ok" ? result.input : raw, replay_object: JSON.parse(canonicalArguments(raw)) };
}

/** "any object" is an object of which no key counts. */
export function toolArgsParseExpectation(expect: Json): Json {
  if (!isObject(expect) || expect["replay_object"] !== "any object") return expect;
  return { ...expect, replay_object: {} };
}

/** `{tool, arguments, schema}`: what the one tool there is, read_file, would run with. */
export async function toolPrepareCase(input: Json): Promise<unknown> {
  const { tool, arguments: given, schema } = objectOf(input, "input");
  const run = (params: unknown): unknown => params;
  const { port } = createToolbox([lookUp("read_file", { parameters: objectOf(schema, "schema"), run })]);
  const call = callOf(textOf(tool, "tool"), written(given));
  const { refuse } = port.inspect(call);
  if (refuse === undefined) {
    const { text } = await port.run(call, NOWHERE);
    const [line = ""] = text.split("\n", 1);
    return { error: false, params: JSON.parse(line) as unknown };
  }
  const suggestion = /Did you mean (\w+)\?/u.exec(refuse)?.[1] ?? null;
  return { error: true, params: null, error_kind: kindOf(refuse), suggestion };
}

/** The role of our sentence. */
function kindOf(refuse: string): string {
  if (refuse.startsWith("There is no tool named")) return "not_found";
  return refuse.includes("not a JSON object") ? "not_object" : "invalid_params";
}

/** `{tool, result}`: what the model reads of what a tool returned. */
export async function toolResultEmptyCase(input: Json): Promise<unknown> {
  const { tool, result = null } = objectOf(input, "input");
  const name = textOf(tool, "tool");
  const { port } = createToolbox([lookUp(name, { run: () => result })]);
  const { text } = await port.run(callOf(name, "{}"), NOWHERE);
  if (text === resultText(name, undefined))
    return { replaced_by_marker: true, marker_mentions_tool: text.includes(name), result: null };
  const read = typeof result === "string" ? text : (JSON.parse(text) as unknown);
  return { replaced_by_marker: false, marker_mentions_tool: false, result: read };
}

/** `{finish_reason, tool_call_count}`: whether the calls of a reply that ended so are run. */
export function shouldExecuteToolsCase(input: Json): unknown {
  const { finish_reason: finish, tool_call_count: count } = objectOf(input, "input");
  const calls = Array.from({ length: numberOf(count, "tool_call_count") }, (_, at) => ({
    id: `c${at}`,
    type: "function",
    function: { name: "x", arguments: "{}" },
  }));
  const decoder = new ReplyDecoder({
    dialect: chatCompletions,
    provenance: { provider: "p", model: "m" },
    takenIds: new Set(),
    continues: false,
    where: "the server",
    advice: "check the base URL",
    mask: (text) => text,
    now: () => 0,
  });
  const message = { role: "assistant", content: "text", tool_calls: calls };
  decoder.feed(Buffer.from(JSON.stringify({ choices: [{ message, finish_reason: finish }] })));
  decoder.end();
  decoder.take();
  const reply = decoder.reply();
  return { execute: reply.type === "message" && isRecord(reply.message) && callsOf(reply.message).length > 0 };
}
