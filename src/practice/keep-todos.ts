import { TODO, todosIn, type Todo, type TodoStatus } from "../protocol/todo.ts";
import type { TodoAsk } from "./intents.ts";
import { andThen, done, fail, receipt, refusal, type Known, type Step } from "./look-up.ts";

/** The list is read first, so that what is asked of it has a meaning. */
export function todoStep(ask: TodoAsk, known: Known): Step<{ readonly text: string }> {
  return andThen(list({}, known), (before) => {
    if (ask.do === "show") return done({ text: listed(before) });
    const change = changeOf(ask, before);
    if (typeof change === "string") return fail(change);
    return andThen(list(change, known), (after) => done({ text: `${happened(ask)} ${listed(after)}` }));
  });
}

type TodoChange = Exclude<TodoAsk, { readonly do: "show" }>;

const list = (input: Readonly<Record<string, unknown>>, known: Known): Step<readonly Todo[]> =>
  andThen(receipt(TODO, input, known), (text) => {
    const todos = todosIn(text);
    return todos === undefined ? fail(refusal("read the todo list", text)) : done(todos);
  });

/** The input for the tool, or why there is none. */
function changeOf(ask: TodoChange, before: readonly Todo[]): Readonly<Record<string, unknown>> | string {
  switch (ask.do) {
    case "clear":
      return { todos: [] };
    case "add": {
      const last = Math.max(0, ...before.map(({ id }) => Number(id)).filter(Number.isSafeInteger));
      return { todos: [{ id: String(last + 1), content: ask.content, status: "pending" }], merge: true };
    }
    case "finish": {
      const found = find(ask.which, before);
      if (found === undefined) return `I find no todo like “${ask.which}”. ${listed(before)}`;
      return { todos: [{ ...found, status: "completed" }], merge: true };
    }
  }
}

/** By its number, else by words in it. */
function find(which: string, todos: readonly Todo[]): Todo | undefined {
  const bare = which.replace(/^(?:number|no\.?|#|第)\s*/iu, "").replace(/\s*[个项]$/u, "");
  const words = bare.toLowerCase();
  return todos.find(({ id }) => id === bare) ?? todos.find(({ content }) => content.toLowerCase().includes(words));
}

function happened(ask: TodoChange): string {
  switch (ask.do) {
    case "add":
      return `Added “${ask.content}”.`;
    case "finish":
      return "Done.";
    case "clear":
      return "The list is cleared.";
  }
}

const MARKS: Readonly<Record<TodoStatus, string>> = { pending: " ", in_progress: ">", completed: "x", cancelled: "-" };

function listed(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The todo list is empty.";
  const finished = todos.filter(({ status }) => status === "completed").length;
  const rows = todos.map(({ id, content, status }) => `- [${MARKS[status]}] ${id}. ${content}`);
  return `Todo, ${finished} of ${todos.length} done:\n${rows.join("\n")}`;
}
