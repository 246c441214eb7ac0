import type { Todo, TodoStatus } from "../protocol/todo.ts";
import { oneLine } from "./plain-text.ts";

const MARK: Readonly<Record<TodoStatus, string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
};

/** The list as people read it: how far it is, then a line for each item. */
export const todoLines = (todos: readonly Todo[]): string[] => [
  `✓ todo: ${todos.filter(({ status }) => status === "completed").length} of ${todos.length} done`,
  ...todos.map(({ content, status }) => `  ${MARK[status]} ${oneLine(content)}`),
];
