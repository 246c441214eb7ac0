import { isObject } from "./json.ts";
import { callsOf, type Message, textOf, type ToolMessage } from "./message.ts";

/** The name of the tool that keeps the list. */
export const TODO = "todo";

export const TODO_STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

export const isTodoStatus = (value: unknown): value is TodoStatus => TODO_STATUSES.some((status) => status === value);

/** The list in a receipt's text, which stands in its first line; undefined when there is none. */
export function todosIn(text: string): Todo[] | undefined {
  const [line = ""] = text.trimStart().split("\n", 1);
  if (!line.startsWith("{") || !line.includes('"todos"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const todos = isObject(value) ? value["todos"] : undefined;
    return Array.isArray(todos) && todos.every(isTodo) ? todos : undefined;
  } catch {
    return undefined;
  }
}

const isTodo = (value: unknown): value is Todo =>
  isObject(value) &&
  typeof value["id"] === "string" &&
  typeof value["content"] === "string" &&
  isTodoStatus(value["status"]);

/**
 * The list as the model saw it last: a fold over the session's history, so a resumed session has it again (row A6).
 * Only a receipt of the todo tool counts, whatever other tools print. `isTodoTool` tells the tool by the written name.
 */
export function latestTodos(
  history: readonly (Message | undefined)[],
  isTodoTool: (name: string) => boolean = (name) => name === TODO,
): readonly Todo[] {
  let seen: ToolMessage[] = [];
  for (let at = history.length - 1; at >= 0; at--) {
    const message = history[at];
    if (message?.role === "tool") seen.push(message);
    if (message?.role !== "assistant") continue;
    const ids = new Set(callsOf(message).flatMap(({ name, callId }) => (isTodoTool(name) ? [callId] : [])));
    for (const receipt of seen) {
      const todos = ids.has(receipt.callId) && receipt.status === "ok" ? todosIn(textOf(receipt)) : undefined;
      if (todos !== undefined) return todos;
    }
    seen = [];
  }
  return [];
}
