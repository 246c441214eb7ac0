import { isObject } from "../protocol/json.ts";
import { isTodoStatus, latestTodos, TODO, TODO_STATUSES, type Todo } from "../protocol/todo.ts";
import type { Tool } from "../protocol/tool.ts";
import { matchName } from "./repair-name.ts";

/** hermes.md §16. */
const MAX_TODOS = 256;
const MAX_CONTENT_CHARS = 4_000;

const NO_ID = "?";
const NO_CONTENT = "(no description)";

const DESCRIPTION =
  "The list of what this task takes. Without arguments it is read. With `todos` it is replaced; with `merge: true` " +
  "items are changed by their id and new ones added behind. Keep one item in_progress; the whole list comes back.";

/** Its list lives in the session's history alone (row A6). */
export const todoTool: Tool = {
  name: TODO,
  toolset: "session",
  description: DESCRIPTION,
  parameters: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string" },
            content: { type: "string" },
            status: { type: "string", enum: TODO_STATUSES },
          },
          required: ["id", "content", "status"],
        },
      },
      merge: { type: "boolean", description: "Change the list instead of replacing it. Default: false." },
    },
  },
  effect: "pure",
  concurrency: "exclusive",
  trusted: true,
  run({ todos: given, merge }, { history }) {
    const before = latestTodos(history, isTodoTool);
    if (!Array.isArray(given)) return answer(before, 0);
    const after = merge === true ? mergeTodos(before, given) : dedupe(given.map(todoOf));
    return answer(after.slice(0, MAX_TODOS), Math.max(0, after.length - MAX_TODOS));
  },
};

const isTodoTool = (name: string): boolean => matchName(name, (wanted) => wanted === TODO) === TODO;

/** One line, the form in which the list is found again. */
function answer(todos: readonly Todo[], leftOut: number): string {
  const counts = Object.fromEntries(
    TODO_STATUSES.map((status) => [status, todos.filter((todo) => todo.status === status).length]),
  );
  const note = `${leftOut} more did not fit: the list holds ${MAX_TODOS} items.`;
  return JSON.stringify({ todos, counts: { total: todos.length, ...counts }, ...(leftOut > 0 && { note }) });
}

/** A sloppy item is filled in, not refused: a list with a gap is better than none. */
function todoOf(given: unknown): Todo {
  const item = isObject(given) ? given : {};
  const status = statusOf(item);
  return { id: idOf(item) || NO_ID, content: contentOf(item) || NO_CONTENT, status: status ?? "pending" };
}

function mergeTodos(before: readonly Todo[], given: readonly unknown[]): Todo[] {
  const todos = new Map(before.map((todo) => [todo.id, todo]));
  for (const item of given.filter(isObject)) {
    const known = todos.get(idOf(item));
    if (known === undefined) {
      const todo = todoOf(item);
      todos.set(todo.id, todo);
    } else {
      const { content, status, id } = known;
      todos.set(id, { id, content: contentOf(item) || content, status: statusOf(item) ?? status });
    }
  }
  return [...todos.values()];
}

/** The last item of an id counts, in its place. */
function dedupe(todos: readonly Todo[]): Todo[] {
  const last = new Map(todos.map((todo, at) => [todo.id, at]));
  return todos.filter((todo, at) => last.get(todo.id) === at);
}

type Item = Readonly<Record<string, unknown>>;

const idOf = ({ id }: Item): string => (typeof id === "string" || typeof id === "number" ? String(id).trim() : "");

function contentOf({ content }: Item): string {
  const text = typeof content === "string" ? content.trim() : "";
  if (text.length <= MAX_CONTENT_CHARS) return text;
  return `${text.slice(0, MAX_CONTENT_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function statusOf({ status }: Item): Todo["status"] | undefined {
  const word = typeof status === "string" ? status.trim().toLowerCase() : "";
  return isTodoStatus(word) ? word : undefined;
}
