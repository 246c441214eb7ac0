import { latestTodos } from "../../protocol/todo.ts";
import type { History } from "./boundaries.ts";

/** What of the todo list is open, a line each; undefined: nothing. */
export function openTodos(history: History): string | undefined {
  const open = latestTodos(history).filter(({ status }) => status === "pending" || status === "in_progress");
  if (open.length === 0) return undefined;
  return open
    .map(({ content, status }) => `${status === "in_progress" ? "- [>]" : "- [ ]"} ${lineOf(content)}`)
    .join("\n");
}

const lineOf = (text: string): string => text.replace(/\s+/gu, " ").trim();
