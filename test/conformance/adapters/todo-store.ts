import type { Message } from "../../../src/protocol/message.ts";
import { todosIn } from "../../../src/protocol/todo.ts";
import { todoTool } from "../../../src/tools/todo.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { callOf, NOWHERE } from "./tool-repair.ts";

/** `{steps}`: a session that calls the tool step by step; nothing but its history knows the list. */
export async function todoStoreCase(input: Json): Promise<unknown> {
  const { port } = createToolbox([todoTool]);
  const history: Message[] = [];
  const results: unknown[] = [];
  for (const [at, step] of listOf(objectOf(input, "input")["steps"], "steps").entries()) {
    const call = callOf("todo", JSON.stringify(argumentsOf(step)), `c${at}`);
    const { text } = await port.run(call, { ...NOWHERE, history });
    history.push({ role: "assistant", parts: [call] });
    history.push({ role: "tool", callId: call.callId, status: "ok", parts: [{ type: "text", text }] });
    results.push(todosIn(text));
  }
  return { results };
}

function argumentsOf(step: Json): object {
  const { op, todos, merge } = objectOf(step, "step");
  const name = textOf(op, "op");
  if (name === "read") return {};
  if (name !== "write") throw new Error(`no such step: ${name}`);
  return { todos: listOf(todos, "todos"), merge };
}
