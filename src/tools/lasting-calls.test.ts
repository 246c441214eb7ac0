import { expect, test } from "vitest";
import { type Message, type ToolCallPart, userText } from "../protocol/message.ts";
import type { Inspection, Tool, ToolContext } from "../protocol/tool.ts";
import { createToolbox } from "./toolbox.ts";

/** Tells what it was given. */
const note = (more: Partial<Tool> = {}): Tool => ({
  name: "note",
  description: "Writes for later.",
  parameters: { type: "object" },
  effect: "idempotent",
  concurrency: "exclusive",
  trusted: true,
  outlives: true,
  run: (_input, { tainted = "clean" }) => tainted,
  ...more,
});
const plain = (name: string, more: Partial<Tool> = {}): Tool =>
  note({ name, effect: "pure", outlives: () => false, ...more });
const TOOLS = [
  note(),
  note({ name: "asking", ask: () => "It costs money." }),
  note({ name: "either", outlives: ({ action }) => action !== "read" }),
  note({
    name: "unsure",
    outlives: () => {
      throw new Error("who knows");
    },
  }),
  plain("todo"),
];
const { port } = createToolbox(TOOLS);

const call = (name: string, input = "{}", callId = "n"): ToolCallPart => ({ type: "tool-call", callId, name, input });
const said = (...parts: readonly ToolCallPart[]): Message => ({ role: "assistant", parts });
const receipt = (callId: string): Message => ({
  role: "tool",
  callId,
  status: "ok",
  parts: [{ type: "text", text: "remember this" }],
});
const CLEAN = [userText("hi"), said(call("todo", "{}", "t")), receipt("t")];
const READ = [...CLEAN, said(call("read_file", "{}", "r")), receipt("r")];
const LASTING = "What it writes is told to later sessions, and others' words were read in this one (read_file).";

const inspect = (part: ToolCallPart, history = READ, canAsk = true): Inspection =>
  port.inspect(part, { history, canAsk });

async function run(
  part: ToolCallPart,
  more: Partial<ToolContext> = {},
  history: readonly Message[] = READ,
): Promise<string> {
  const signal = new AbortController().signal;
  const context = { callId: "n", sessionId: "s", history: [...history, said(part)], signal, output: () => {}, ...more };
  return (await port.run(part, context)).text;
}

test("[F5] where others' words were read a person is asked, who is told what was read; where nobody can be asked the tool is told", async () => {
  expect(inspect(call("note")).ask).toBe(LASTING);
  expect(inspect(call("note"), CLEAN)).not.toHaveProperty("ask");
  expect(inspect(call("note"), READ, false)).not.toHaveProperty("ask");
  expect(await run(call("note"))).toBe("read_file");
  expect(await run(call("note"), {}, CLEAN)).toBe("clean");
});

test("[F5] [E10] a yes is one of a person, and to this very question", async () => {
  expect(await run(call("note"), { approved: LASTING, byPerson: true })).toBe("clean");
  expect(await run(call("note"), { approved: LASTING })).toBe("read_file");
  const other = LASTING.replace("read_file", "todo");
  for (const approved of [other, "", "yes", "It costs money."])
    expect(await run(call("note"), { approved, byPerson: true })).toBe("read_file");
});

test("[F5] [E10] a tool that asks for reasons of its own says both, and a yes to one is none to the other", async () => {
  const both = `It costs money. ${LASTING}`;
  expect(inspect(call("asking")).ask).toBe(both);
  expect(await run(call("asking"), { approved: both, byPerson: true })).toBe("clean");
  expect(await run(call("asking"), { approved: "It costs money.", byPerson: true })).toBe("read_file");
  expect(await run(call("asking"), { approved: "It costs money." }, CLEAN)).toBe("clean");
  await expect(run(call("asking"), { approved: LASTING, byPerson: true })).rejects.toThrow("changed after");
});

test("[F5] what other calls of the same reply bring, the call was not written after", async () => {
  const both = said(call("read_file", "{}", "r"), call("note"));
  const history = [...CLEAN, both, receipt("r")];
  const signal = new AbortController().signal;
  const context = { callId: "n", sessionId: "s", history, signal, output: () => {} };
  expect((await port.run(call("note"), context)).text).toBe("clean");
  expect(await run(call("note", "{}", "n2"), { callId: "n2" }, history)).toBe("read_file");
});

test("[C11] [F5] a name or arguments that were repaired are asked about as what would run, and taint as what ran", async () => {
  expect(inspect(call("functions.Note")).ask).toBe(`${LASTING} "functions.Note" was read as note.`);
  expect(inspect(call("note", '{"a": 1,}')).ask).toContain(
    `${LASTING} Its arguments were not valid JSON and were read as`,
  );
  const written = [...CLEAN, said(call("Todo_Tool", "{}", "x")), receipt("x")];
  expect(inspect(call("note"), written)).not.toHaveProperty("ask");
  const guessed = [...CLEAN, said(call("tod", "{}", "x")), receipt("x")];
  expect(inspect(call("note"), guessed).ask).toContain("(tod)");
});

test("[F5] a tool may say of each call whether it writes; one that cannot say writes", () => {
  expect(inspect(call("either", '{"action":"read"}'))).not.toHaveProperty("ask");
  expect(inspect(call("either", '{"action":"add"}')).ask).toBe(LASTING);
  expect(inspect(call("unsure")).ask).toBe(LASTING);
  expect(inspect(call("todo"))).not.toHaveProperty("ask");
});
