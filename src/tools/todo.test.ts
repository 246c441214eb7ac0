import { expect, test } from "vitest";
import type { Message } from "../protocol/message.ts";
import { latestTodos, type Todo, todosIn } from "../protocol/todo.ts";
import { createToolbox } from "./toolbox.ts";
import { todoTool } from "./todo.ts";

/** A session in which the model calls todo, again and again; its history is all that is kept. */
class Session {
  readonly history: Message[] = [];
  readonly #box = createToolbox([todoTool]);

  async call(input: object, name = "todo"): Promise<Todo[] | undefined> {
    const callId = `c${this.history.length}`;
    const part = { type: "tool-call", callId, name, input: JSON.stringify(input) } as const;
    const { signal } = new AbortController();
    const context = { callId, sessionId: "s", history: this.history, signal, output: () => {} };
    const { text } = await this.#box.port.run(part, context);
    this.history.push({ role: "assistant", parts: [part] });
    this.history.push({ role: "tool", callId, status: "ok", parts: [{ type: "text", text }] });
    return todosIn(text);
  }
}

const item = (id: string, content = id, status = "pending"): object => ({ id, content, status });

test("[E9] a list is replaced, changed by id, added to and read", async () => {
  const session = new Session();
  expect(await session.call({})).toEqual([]);
  expect(await session.call({ todos: [item("1"), item("2")] })).toEqual([item("1"), item("2")]);
  expect(await session.call({ todos: [{ id: "1", status: "completed" }, item("3")], merge: true })).toEqual([
    item("1", "1", "completed"),
    item("2"),
    item("3"),
  ]);
  expect(await session.call({})).toHaveLength(3);
  expect(await session.call({ todos: [item("9")] })).toEqual([item("9")]);
});

test("[E9] sloppy items are filled in, the last of an id counts, and limits hold and are told", async () => {
  const session = new Session();
  const todos = [item("a", "old"), { id: "  ", content: "" }, { ...item("b"), status: "DONE" }, item("a", "new")];
  expect(await session.call({ todos: [...todos, { id: "c", content: "x".repeat(5_000) }] })).toEqual([
    item("?", "(no description)"),
    item("b"),
    item("a", "new"),
    item("c", `${"x".repeat(3_999)}…`),
  ]);
  await session.call({ todos: Array.from({ length: 300 }, (_, at) => item(`${at}`)) });
  const text = session.history.at(-1)?.parts[0];
  expect(latestTodos(session.history)).toHaveLength(256);
  expect(JSON.stringify(text)).toContain("44 more did not fit");
});

test("[A6] the list is what the newest receipt of the tool says, whatever other tools print", async () => {
  const session = new Session();
  await session.call({ todos: [item("1")] }, "TodoTool");
  session.history.push({
    role: "assistant",
    parts: [{ type: "tool-call", callId: "x", name: "terminal", input: '{"command":"cat todo.json"}' }],
  });
  const text = JSON.stringify({ todos: [item("stolen")] });
  session.history.push({ role: "tool", callId: "x", status: "ok", parts: [{ type: "text", text }] });
  session.history.push({ role: "assistant", parts: [{ type: "text", text }] });
  expect(await session.call({})).toEqual([item("1")]);
});

test("[A6] a receipt that was cut or refused is no list", () => {
  expect(todosIn('{"todos":[{"id":"1"')).toBeUndefined();
  expect(todosIn('{"todos":[{"id":1}]}')).toBeUndefined();
  expect(todosIn("plain text")).toBeUndefined();
  expect(latestTodos([undefined, { role: "user", parts: [] }])).toEqual([]);
});
